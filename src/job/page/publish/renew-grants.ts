import { toAsking, toHeld, toQuery } from "../capacity-request.ts";
import type { DrainRuntime } from "../../runtime.ts";
import type { Candidate } from "../records.ts";
import type { HeldResult } from "../results.ts";

/**
 * A rate may be ahead by this much: a move puts off the next grants by the age of the grant, and a busy machine
 * would not use up its rate. On an idle one a batch leaves within about 100 ms.
 */
const maxGrantAgeMs = 500;

/**
 * The candidates of a batch that may be posted now. Grants that waited for their batch are moved to now. Else
 * all that has waited for a slow service would leave in one moment, and the rate counts those grants no more.
 * Those that the rate has no room for ask again. Throws `redis-unavailable`.
 */
export async function renewGrants(
  drain: DrainRuntime,
  batch: readonly Candidate[],
): Promise<{ readonly granted: readonly Candidate[]; readonly held: readonly HeldResult<Candidate>[] }> {
  const { capacity, clock } = drain.source;
  const askedAt = clock.monotonic();
  const isLate = ({ grant }: Candidate): boolean =>
    grant !== undefined && askedAt - grant.askedAt > maxGrantAgeMs;
  const late = batch.filter(isLate);
  if (late.length === 0) return { granted: batch, held: [] };
  const asking = toAsking(drain, late);
  const requests = asking.map(({ candidate: { grant }, request }) =>
    grant === undefined ? request : { ...request, grantedAt: grant.at },
  );
  const { verdicts, at } = await capacity.take(toQuery(drain, requests));
  const granted = batch.filter((one) => !isLate(one));
  const held: HeldResult<Candidate>[] = [];
  for (const [index, one] of asking.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined) continue;
    if (verdict.kind === "granted") granted.push({ ...one.candidate, grant: { at, askedAt } });
    else held.push({ ...toHeld(drain, one, verdict), asksAgain: true });
  }
  return { granted, held };
}
