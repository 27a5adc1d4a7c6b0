import { packBatches } from "../../../message/pack-batches.ts";
import { groupBy } from "../../group-by.ts";
import type { SourceRuntime } from "../../runtime.ts";
import { isReconciling } from "../capacity-request.ts";
import type { Candidate } from "../records.ts";

/**
 * Packs candidates into batches. Those that reconcile an earlier POST come first and share no batch with others.
 *
 * If the source is on trial, the first message travels alone, so that an unreadable answer leaves one message in doubt and not a
 * hundred. If the source refused everything, a single message proves nothing, because that message may be the poison.
 */
export function toBatches(
  { publish, health, poison }: Pick<SourceRuntime, "publish" | "health" | "poison">,
  granted: readonly Candidate[],
): readonly (readonly Candidate[])[] {
  const { maxItems: maxCount, maxBytes } = publish;
  const again = { maxCount: poison.batchSize(maxCount), maxBytes };
  const fresh = granted.filter((one) => !isReconciling(one));
  // Messages that were refused together go on in halves, beside nothing else.
  const maxBeside = ({ letter }: Candidate): number => poison.maxBeside(letter.dlqId, maxCount);
  const batches = [
    ...[...groupBy(granted.filter(isReconciling), postedAt).values()].flatMap((together) =>
      packBatches(together, again),
    ),
    ...[...groupBy(fresh, maxBeside)].flatMap(([most, some]) =>
      packBatches(some, { maxCount: most, maxBytes }),
    ),
  ];
  const now = health.standing();
  const isAlone = now.state === "halted" && now.onTrial && now.code !== "service-refuses-everything";
  const [first = [], ...rest] = batches;
  if (!isAlone || first.length < 2) return batches;
  return [first.slice(0, 1), first.slice(1), ...rest];
}

/**
 * Messages that were posted together are posted again together. A POST is accepted whole or not at all, so an accepted one holds no
 * poison. One begin has one time; two begins in a millisecond merely share a batch.
 */
function postedAt({ view }: Candidate): number {
  return view.state === "open" ? view.lastAt : 0;
}

/** Cuts a refused batch of at least two candidates in two, by count or by encoded bytes. Neither half is empty. */
export function halves(
  candidates: readonly Candidate[],
  by: "count" | "bytes",
): readonly (readonly Candidate[])[] {
  const middle = by === "count" ? Math.floor(candidates.length / 2) : middleByBytes(candidates);
  return [candidates.slice(0, middle), candidates.slice(middle)];
}

function middleByBytes(candidates: readonly Candidate[]): number {
  const half = candidates.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
  let sum = 0;
  const at = candidates.findIndex(({ bytes }) => (sum += bytes) >= half);
  return Math.min(Math.max(at, 1), candidates.length - 1);
}
