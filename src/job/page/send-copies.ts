/**
 * Copies of due letters to a test target. No dead letter is touched, and the ledger learns nothing of it.
 *
 *   rates ─► audit ─► POST ─┬─ answered ─► copied | refused
 *                           ├─ refused ──► each half alone
 *                           ├─ not sent ─► after the pause of the source
 *                           └─ in doubt ─► again under the same ids
 *
 * A copy has nothing by which the service or redriver could take it for its original: ids of its own, no lineage, no
 * callbacks, no queue and no retries. A copy that fails is dead with its mark, and is parked (prepare.ts).
 */
import { RedriverError } from "../contracts/errors.ts";
import type { Token } from "../contracts/ids.ts";
import type { BatchItem, DlqId } from "../message/dead-letter.ts";
import { toTestDeduplicationId } from "../message/message-ids.ts";
import { hostOf } from "../message/destination-url.ts";
import { encodeItem, type EncodedItem } from "../message/encode-item.ts";
import { copyHeaderName, itemNamesOf } from "../message/headers.ts";
import { packBatches } from "../message/pack-batches.ts";
import type { DrainRuntime } from "../runtime.ts";
import { ofDrain, recordIntent } from "../write-audit.ts";
import { idsOf, isByService, type Letter } from "./letter.ts";
import { itemOf } from "./publish/canary-variant.ts";

export interface TestTarget {
  readonly origin: string;
  readonly run: Token;
  readonly why: string;
}

/** `copied`, or why not: a reason to park it, or one of these. */
export type CopyEnds = ReadonlyMap<DlqId, string>;

interface Copy {
  readonly letter: Letter;
  readonly json: EncodedItem;
  readonly bytes: number;
}

/** Waits before a POST in doubt is made again. After the last one nobody knows if the copies were sent. */
const againAfterMs = [1_000, 5_000, 15_000];
/** A pause that takes longer is not waited for, and a rate is asked again. */
const maxWaitMs = 10 * 60_000;
const minWaitMs = 100;

/** The letters are due, at most 100. Throws as the audit and the rates do, and if the source does not take any. */
export async function sendCopies(
  drain: DrainRuntime,
  letters: readonly Letter[],
  target: TestTarget,
  signal: AbortSignal,
): Promise<CopyEnds> {
  const { source } = drain;
  const ends = new Map<DlqId, string>();
  const copies: Copy[] = [];
  for (const letter of letters) {
    const item = isByService(letter) ? null : toCopy(itemOf(letter, 1), letter, target, source.headerPrefix);
    const encoded = item === null ? null : encodeItem(item);
    const unfit = item === null ? "binary-body" : source.checkItem(item, encoded?.bytes ?? 0);
    if (unfit !== null || encoded === null) ends.set(letter.dlqId, unfit ?? "binary-body");
    else copies.push({ letter, ...encoded });
  }
  const granted = await takeRates(drain, copies, target, signal, ends);
  const { maxItems: maxCount, maxBytes } = source.publish;
  for (const batch of packBatches(granted, { maxCount, maxBytes })) {
    const host = hostOf(target.origin);
    const records = batch.map(({ letter: { dlqId, attempt, decision } }) => {
      return { dlqId, rule: decision.rule, reason: decision.reason, attempt, host };
    });
    await recordIntent(source, "test-copy", records, { ...ofDrain(drain), why: target.why });
    await post(drain, batch, signal, ends);
  }
  return ends;
}

/** With the method, timeout, headers and body of the original, and no other setting of the service. */
export function toCopy(
  { destination, headers, body }: BatchItem,
  { dlqId }: Pick<Letter, "dlqId">,
  { origin, run }: Pick<TestTarget, "origin" | "run">,
  headerPrefix: string,
): BatchItem {
  const names = itemNamesOf(headerPrefix);
  const kept = new Set([names.method, names.timeout, names.redactFields]);
  const isKept = (name: string): boolean =>
    kept.has(name) || (name.startsWith(`${headerPrefix}Forward-`) && name !== names.lineage);
  const { pathname, search } = new URL(destination);
  return {
    destination: `${origin}${pathname}${search}`,
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name))),
      [names.retries]: "0",
      [names.deduplicationId]: toTestDeduplicationId(run, dlqId),
      [`${headerPrefix}Forward-${copyHeaderName}`]: dlqId,
    },
    ...(body === undefined ? {} : { body }),
  };
}

/** Those that the drain's rates let go, the target's host among them. Others end with the limit that holds them. */
async function takeRates(
  { config, source }: DrainRuntime,
  copies: readonly Copy[],
  { origin }: TestTarget,
  signal: AbortSignal,
  ends: Map<DlqId, string>,
): Promise<readonly Copy[]> {
  const of = { source: source.config.id, drain: config.name, passId: null, limits: config.limits };
  const request = { host: hostOf(origin), rule: null, post: "first" } as const;
  const granted: Copy[] = [];
  for (let waiting = copies; waiting.length > 0;) {
    const { verdicts, at } = await source.capacity.take({ ...of, requests: waiting.map(() => request) });
    let waitMs = maxWaitMs;
    waiting = waiting.filter((copy, index) => {
      const verdict = verdicts[index];
      if (verdict === undefined || verdict.kind === "granted") granted.push(copy);
      else if (verdict.kind === "ceiling") ends.set(copy.letter.dlqId, `${verdict.by}-limit`);
      else waitMs = Math.min(waitMs, verdict.until - at);
      return verdict?.kind === "wait";
    });
    if (waiting.length > 0) await source.clock.sleep(Math.max(minWaitMs, waitMs), signal);
  }
  return granted;
}

async function post(
  drain: DrainRuntime,
  batch: readonly Copy[],
  signal: AbortSignal,
  ends: Map<DlqId, string>,
): Promise<void> {
  const { service, clock, takeBatchTurn } = drain.source;
  const ids = idsOf(batch.map(({ letter }) => letter));
  const items = batch.map(({ json }) => json);
  for (let tries = 0; ; tries += 1) {
    const endTurn = await takeBatchTurn(signal);
    const outcome = await service.publish(items, () => true, signal).finally(endTurn);
    switch (outcome.kind) {
      case "answered":
        for (const [index, dlqId] of ids.entries()) {
          const item = outcome.items[index];
          ends.set(dlqId, item?.kind === "accepted" ? "copied" : (item?.kind ?? "in-doubt"));
        }
        return;
      case "refused": {
        if (batch.length === 1) return void ends.set(ids[0]!, "refused");
        const middle = batch.length >> 1;
        await post(drain, batch.slice(0, middle), signal, ends);
        return post(drain, batch.slice(middle), signal, ends);
      }
      case "misconfigured":
        throw new RedriverError("source-misconfigured", outcome.error);
      case "not-sent":
      case "in-doubt": {
        const retryAt = "retryAt" in outcome ? (outcome.retryAt ?? 0) : 0;
        const waitMs = Math.max(againAfterMs[tries] ?? Infinity, retryAt - clock.now());
        if (waitMs > maxWaitMs) {
          for (const dlqId of ids) ends.set(dlqId, outcome.kind);
          return;
        }
        await clock.sleep(waitMs, signal);
      }
    }
  }
}
