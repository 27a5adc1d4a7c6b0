import type { ItemChanges } from "../../message/item-changes.ts";
import { policyLosses, type Loss, type PolicyLoss } from "../../message/losses.ts";
import type { ParkReason } from "../../message/park-reasons.ts";
import { createHash } from "node:crypto";
import type { DeadLetter } from "../../message/dead-letter.ts";
import { toDeduplicationId } from "../../message/deduplication-id.ts";
import { checkFidelity } from "../../message/fidelity.ts";
import { toRootFlowControl } from "../../message/flow-control.ts";
import { isProofUrl } from "../../message/proof-callback.ts";
import { hashBody, nextLineage, rootOf, signLineage } from "../../message/lineage.ts";
import type { CheckItem } from "../../message/item-check.ts";
import { rebuildItem } from "../../message/rebuild-item.ts";
import type { DrainConfig } from "../../ports/drains.ts";
import type { Candidate, DecidedRecord } from "./records.ts";
import { largestShapes, toSendVariant, type Plain } from "./publish/canary-variant.ts";

/** A suffix with as many digits as a series will ever reach: the size of a candidate is that of its largest item. */
const maxSuffix = 999;

/**
 * 1 MiB: a callback quotes its message a third larger, as base64, with what was answered, and is read up to 4 MiB. It may have to be
 * published in turn, as an item of up to twice the size.
 */
const maxProvenBytes = 1_048_576;

export interface Preparation {
  readonly headerPrefix: string;
  readonly lineageKey: string;
  /** What becomes of a record whose rebuild would lose one of `policyLosses`. */
  readonly onLoss: "park" | "republish";
  /** What the settings let pass. Asked of the item as it would be sent, with the longest suffix. */
  readonly checkItem: CheckItem;
  /** Where there is one, the item may be sent as a canary, and in a step. */
  readonly lane?: DrainConfig["lane"] | undefined;
  /** In place of the message's own, where the rule says nothing of it. */
  readonly flowControl?: DrainConfig["flowControl"] | undefined;
  /** Where canaries are called back (proofAddressOf). Absent: silence judges them. */
  readonly proofAddress?: string | undefined;
}

/**
 * Builds what a due record would become, or says why it cannot be rebuilt or may not be published: the first policy loss, under
 * `onLoss: park`. Pure.
 */
export function prepare(
  record: DecidedRecord,
  set: ItemChanges,
  { headerPrefix, lineageKey, onLoss, checkItem, lane, flowControl, proofAddress }: Preparation,
):
  | { readonly kind: "candidate"; readonly candidate: Candidate }
  | { readonly kind: "park"; readonly reason: ParkReason } {
  const { letter, raw, reading } = record;
  const unfit = checkFidelity(letter, raw);
  if (unfit !== null) return { kind: "park", reason: unfit };

  const changes = flowControl === undefined ? set : { flowControl, ...set };
  const root = rootOf(letter, reading);
  const lineage = {
    ...nextLineage(letter, reading, record.attempt),
    ...toRootFlowControl(letter, changes.flowControl),
  };
  // Of the body that is sent, the same in every shape.
  let bodyHash = "";
  const rebuilt = rebuildItem(letter, changes, {
    headerPrefix,
    deduplicationId: toDeduplicationId(letter.dlqId, maxSuffix),
    signLineage: (body) => signLineage(lineage, (bodyHash = hashBody(body)), lineageKey),
    // A release lowers the record's count, but the body of a come-back is what an earlier redrive made of it.
    attempt: Math.max(record.attempt, root.redrives),
    // A come-back was sent with the retries of an earlier redrive; its root knows the original number.
    retries: root.maxRetries,
    delayMs: toDelayMs(letter, changes),
  });
  if (rebuilt.kind === "park") return rebuilt;
  const { item, losses } = rebuilt;

  const plain: Plain = {
    letter,
    item,
    lineage,
    attempt: record.attempt,
    bodyHash,
    headerPrefix,
    lineageKey,
    proofAddress: null,
  };
  const largest = largestShapes(plain, lane);
  for (const shape of largest) {
    const notAllowed = checkItem(shape.item, shape.bytes);
    if (notAllowed !== null) return { kind: "park", reason: notAllowed };
  }
  const policyLoss = losses.find(isPolicyLoss);
  if (policyLoss !== undefined && onLoss === "park") return { kind: "park", reason: policyLoss };
  const proven = proofAddress === undefined ? plain : withProof(plain, { lane, proofAddress, checkItem });
  return {
    kind: "candidate",
    candidate: {
      ...record,
      ...toSendVariant(proven, null),
      toSendVariant: (sendAs) => toSendVariant(proven, sendAs),
      losses,
      bytes: Math.max(...largestShapes(proven, lane).map(({ bytes }) => bytes)),
    },
  };
}

/** To be called back where it is sent as a canary, unless that would make it, or the callback that quotes it, too large. */
function withProof(
  plain: Plain,
  {
    lane,
    proofAddress,
    checkItem,
  }: Pick<Preparation, "lane" | "checkItem"> & { readonly proofAddress: string },
): Plain {
  // A callback of ours that died: nobody needs to be told what became of it.
  if (isProofUrl(plain.item.destination, proofAddress)) return plain;
  const proven = { ...plain, proofAddress };
  const fits = largestShapes(proven, lane).every(
    ({ item, bytes }) => bytes <= maxProvenBytes && checkItem(item, 2 * bytes) === null,
  );
  return fits ? proven : plain;
}

function isPolicyLoss(loss: Loss): loss is PolicyLoss {
  return policyLosses.some((policyLoss) => policyLoss === loss);
}

/** A spread delay is drawn from the dlqId, so that a second POST of the same series carries the same delay. */
function toDelayMs(letter: DeadLetter, changes: ItemChanges): number | null {
  if (changes.delay === undefined) return null;
  switch (changes.delay.kind) {
    case "fixed":
      return changes.delay.ms;
    case "spread": {
      const draw = createHash("sha256").update(letter.dlqId).digest().readUInt32BE(0);
      return Math.floor((draw / 2 ** 32) * changes.delay.ms);
    }
  }
}
