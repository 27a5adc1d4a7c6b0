import type { LaneComeBack } from "../../ports/lanes.ts";
import { listToEnd } from "../list-to-end.ts";
import { serviceNow, type SourceRuntime } from "../runtime.ts";
import { collect } from "../stages/collect.ts";
import { toLaneComeBack } from "./come-backs.ts";

/** The service's Date has whole seconds, and Redis's clock may be off from ours by the length of an answer. */
const clockSlackMs = 5_000;
/** A look is for the newest dead letters. Where so many have entered meanwhile, a pass is left to find what came back. */
const mostPages = 50;

/**
 * Looks at the newest dead letters for the steps whose silence is to be proven, with one listing for all of them. A step is judged only by a
 * listing that was read to its end. Asks the service nothing where nothing is watched. Throws RedriverErrors.
 */
export async function lookAtLanes(source: SourceRuntime, signal: AbortSignal): Promise<void> {
  // Read first: who is stopped in between lists more than is needed, and nothing less.
  const begunAt = serviceNow(source);
  const { watches, at } = await source.lanes.due();
  if (watches.length === 0) return;
  source.health.check();
  const agoMs = at - Math.min(...watches.map(({ firstSentAt }) => firstSentAt));
  const found = await comeBacksSince(source, begunAt - agoMs, signal);
  if (found === null) return;
  for (const watch of watches) {
    const { lane, step } = watch;
    const back = found.filter((one) => one.lane === lane && one.step === step);
    await source.lanes.looked({ lane, step }, at, back);
  }
}

/** `since`: by the service's clock. Null where the listing was not read to its end. */
async function comeBacksSince(
  source: SourceRuntime,
  since: number,
  signal: AbortSignal,
): Promise<readonly LaneComeBack[] | null> {
  // Also where the service's dates mean creation: what came back was created when it was published.
  const fromDate = Math.floor(since - clockSlackMs);
  const found: LaneComeBack[] = [];
  let pages = 0;
  for await (const page of listToEnd(source, { select: {}, fromDate }, { signal, stopping: signal })) {
    // One record that nobody can read hides at most one come-back; waiting for it would keep the lane for ever.
    if (page.passedOver !== null) continue;
    const { found: records } = collect(page.records, source.lineageKeys());
    found.push(...records.flatMap(toLaneComeBack));
    pages += 1;
    if (pages === mostPages && !page.isLast) return null;
  }
  return found;
}
