import { createHash } from "node:crypto";
import type { DeadLetter } from "../../message/dead-letter.ts";
import { toDeduplicationId } from "../../message/deduplication-id.ts";
import { encodeItem } from "../../message/encode-item.ts";
import { checkFidelity } from "../../message/fidelity.ts";
import { nextLineage, rootOf, writeLineage } from "../../message/lineage.ts";
import { rebuildItem } from "../../message/rebuild-item.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { ItemChanges } from "../../rules/spec.ts";
import type { ParkReason } from "../../rules/decision.ts";
import type { Candidate, DecidedRecord } from "./records.ts";

/** A suffix with as many digits as a series will ever reach; only its length is used. */
const longestSuffix = 999;

export interface Preparation {
  readonly headerPrefix: string;
  readonly lineageKey: string;
}

/** Builds what a due record would become, or says why it cannot be rebuilt. Pure. */
export function prepare(
  record: DecidedRecord,
  changes: ItemChanges,
  preparation: Preparation,
):
  | { readonly kind: "candidate"; readonly candidate: Candidate }
  | { readonly kind: "park"; readonly reason: ParkReason } {
  const { letter, raw, reading } = record;
  const loss = checkFidelity(letter, raw);
  if (loss !== null) return { kind: "park", reason: loss };

  const lineage = nextLineage(letter, reading, record.attempt);
  const lineageHeader = writeLineage(lineage, letter.body, preparation.lineageKey);
  const build = (suffix: number) =>
    rebuildItem(letter, changes, {
      headerPrefix: preparation.headerPrefix,
      deduplicationId: toDeduplicationId(letter.dlqId, suffix),
      lineageHeader,
      // A come-back was sent with the retries of an earlier redrive; its root knows the original number.
      retries: rootOf(letter, reading).maxRetries,
      delayMs: toDelayMs(letter, changes),
    });
  const trial = build(longestSuffix);
  if (trial.kind === "park") return trial;
  return {
    kind: "candidate",
    candidate: {
      ...record,
      lineage,
      bytes: encodeItem(trial.item).bytes,
      toItem: (suffix) => {
        const built = build(suffix);
        if (built.kind === "park") {
          throw new RedriverError(
            "invariant-broken",
            `a rebuild depends on its suffix (${suffix}): ${built.reason}`,
          );
        }
        return built.item;
      },
    },
  };
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
