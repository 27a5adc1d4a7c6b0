import { packBatches } from "../../message/pack-batches.ts";
import type { PoisonShare } from "../poison-share.ts";
import type { SourceRuntime } from "../runtime.ts";
import { isReconciling } from "./capacity-request.ts";
import type { Candidate } from "./records.ts";

/**
 * Packs what may be published. What reconciles an earlier POST comes first and shares no batch with anything else.
 *
 * On trial the first travels alone: an answer that cannot be read leaves one message in doubt then, not a hundred. If everything was
 * refused it would prove nothing to ask for one, which may be what is refused.
 */
export function toBatches(
  { publish, health, poison }: Pick<SourceRuntime, "publish" | "health" | "poison">,
  granted: readonly Candidate[],
): readonly (readonly Candidate[])[] {
  const { maxItems: maxCount, maxBytes } = publish;
  const again = { maxCount: poison.batchSize(maxCount), maxBytes };
  const batches = [
    ...byPost(granted.filter(isReconciling)).flatMap((together) => packBatches(together, again)),
    ...[...byMostBeside(granted, maxCount, poison)].flatMap(([most, some]) =>
      packBatches(some, { maxCount: most, maxBytes }),
    ),
  ];
  const now = health.standing();
  const isAlone = now.state === "halted" && now.onTrial && now.code !== "service-refuses-everything";
  const [first = [], ...rest] = batches;
  if (!isAlone || first.length < 2) return batches;
  return [first.slice(0, 1), first.slice(1), ...rest];
}

/** What is posted for the first time. What was refused together goes on in halves, beside nothing else. */
function byMostBeside(
  granted: readonly Candidate[],
  maxCount: number,
  poison: Pick<PoisonShare, "mostBeside">,
): ReadonlyMap<number, readonly Candidate[]> {
  const groups = new Map<number, Candidate[]>();
  for (const one of granted) {
    if (isReconciling(one)) continue;
    const most = poison.mostBeside(one.letter.dlqId, maxCount);
    groups.set(most, [...(groups.get(most) ?? []), one]);
  }
  return groups;
}

/**
 * What was posted together is asked for together. Of one POST all or none were accepted, so one that was accepted holds no message
 * for which the service would refuse them all. One begin has one time, and two in a millisecond only share a batch.
 */
function byPost(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const groups = new Map<number, Candidate[]>();
  for (const candidate of candidates) {
    const { view } = candidate;
    const postedAt = view.state === "open" ? view.lastAt : 0;
    const group = groups.get(postedAt);
    if (group === undefined) groups.set(postedAt, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()];
}
