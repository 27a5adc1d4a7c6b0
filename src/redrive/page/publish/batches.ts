import { packBatches } from "../../../message/pack-batches.ts";
import { groupBy } from "../../group-by.ts";
import type { SourceRuntime } from "../../runtime.ts";
import { isReconciling } from "../capacity-request.ts";
import type { Candidate } from "../records.ts";

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
  const fresh = granted.filter((one) => !isReconciling(one));
  // What was refused together goes on in halves, beside nothing else.
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
 * What was posted together is asked for together. Of one POST all or none were accepted, so one that was accepted holds no message
 * for which the service would refuse them all. One begin has one time, and two in a millisecond only share a batch.
 */
function postedAt({ view }: Candidate): number {
  return view.state === "open" ? view.lastAt : 0;
}
