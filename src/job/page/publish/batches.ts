import { packBatches } from "../../message/pack-batches.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import type { SourceRuntime } from "../../runtime.ts";
import type { Series } from "../../contracts/ledger-entries.ts";
import { isByService, isReconciling, type Begun, type Letter } from "../letter.ts";

/** Letters that are sent side by side by the service's own retry, each in a call of its own. */
const retriesAtOnce = 30;

/**
 * Packs letters into batches. Those with an earlier POST in doubt come first and share none with others: one of
 * them may be what the service never answers. If the source is on trial, the first message travels alone, so that
 * an unreadable answer leaves one in doubt. If it refused everything, that message may be the poison.
 */
export function toBatches(
  { publish, health, poison }: Pick<SourceRuntime, "publish" | "health" | "poison">,
  granted: readonly Letter[],
): readonly (readonly Letter[])[] {
  const { maxItems, maxBytes } = publish;
  // What was posted together is posted again together: an accepted POST holds no poison. One begin has one time.
  const reconciling: Letter[] = [];
  const pastHorizon: Letter[] = [];
  const byService: Letter[] = [];
  const others: Letter[] = [];
  for (const one of granted) {
    if (isReconciling(one)) reconciling.push(one);
    else if (isByService(one)) byService.push(one);
    else (one.view.state === "open" && one.view.via === undefined ? pastHorizon : others).push(one);
  }
  const again = [reconciling, pastHorizon].flatMap((some) => [
    ...groupBy(some, ({ view }) => (view.state === "open" ? view.lastAt : 0)).values(),
  ]);
  const maxAgain = poison.batchSize(maxItems);
  // Messages that were refused together go on in halves, beside nothing else.
  const fresh = poison.hasRefused()
    ? groupBy(others, ({ dlqId }) => poison.maxBeside(dlqId, maxItems))
    : [[maxItems, others] as const];
  const batches = [
    ...again
      .flatMap((some) => divide(health, some, inDoubtBefore(some)))
      .flatMap((some) => packBatches(some, { maxCount: maxAgain, maxBytes })),
    ...packBatches(byService, { maxCount: retriesAtOnce, maxBytes }),
    ...[...fresh].flatMap(([maxCount, some]) => packBatches(some, { maxCount, maxBytes })),
  ];
  const now = health.standing();
  const isAlone = now.state === "halted" && now.onTrial && now.code !== "service-refuses-everything";
  const [first = [], ...rest] = batches;
  if (!isAlone || first.length < 2) return batches;
  return [first.slice(0, 1), first.slice(1), ...rest];
}

/** How many POSTs of its series were not answered. Letters that were posted together have one history. */
export function unanswered({ posts, refusals }: Series): number {
  return posts - refusals;
}

function inDoubtBefore([first]: readonly Letter[]): number {
  return first?.view.state === "open" ? unanswered(first.view.series) : 0;
}

/**
 * Cuts what is in doubt for the second time: one of its messages may be what the service never answers. If other
 * batches are answered, into halves. If none is, one message goes ahead now and then: halves would cost an outage
 * as many calls as messages.
 */
export function divide(
  health: Pick<SourceRuntime["health"], "answersBatches" | "isFailing">,
  letters: readonly Letter[],
  times: number,
): readonly (readonly Letter[])[] {
  if (times < 2 || letters.length < 2 || health.isFailing()) return [letters];
  const isPowerOfTwo = (times & (times - 1)) === 0;
  const ahead = health.answersBatches() ? letters.length >> 1 : isPowerOfTwo ? 1 : 0;
  return ahead === 0 ? [letters] : [letters.slice(0, ahead), letters.slice(ahead)];
}

/** Cuts a refused batch of at least two in two, by count or by encoded bytes. Neither half is empty. */
export function halves(begun: readonly Begun[], by: "count" | "bytes"): readonly (readonly Begun[])[] {
  const middle = by === "count" ? Math.floor(begun.length / 2) : middleByBytes(begun);
  return [begun.slice(0, middle), begun.slice(middle)];
}

function middleByBytes(begun: readonly Begun[]): number {
  const sizes = begun.map(({ letter }) => letter.bytes);
  const half = sizes.reduce((sum, bytes) => sum + bytes, 0) / 2;
  let sum = 0;
  const at = sizes.findIndex((bytes) => (sum += bytes) >= half);
  return Math.min(Math.max(at, 1), begun.length - 1);
}
