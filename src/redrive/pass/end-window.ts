import type { PassId } from "../../ports/ids.ts";
import type { CloseVerdict, WindowEnd } from "../../ports/passes.ts";
import { emptyTally, type Tally } from "../../ports/tally.ts";
import { toPassCensus } from "../census/census-from-pass.ts";
import { selectsEverything } from "../listing/drain-selects.ts";
import type { DrainRuntime } from "../runtime.ts";

/** Ends windows that will not be worked. Their pass is closed as partial, and the next one can open. */
export async function abandonWindows(
  drain: DrainRuntime,
  passId: PassId,
  windowIds: readonly string[],
): Promise<void> {
  for (const windowId of windowIds) await endWindow(drain, passId, windowId, { kind: "failed" }, emptyTally);
}

export async function endWindow(
  drain: DrainRuntime,
  passId: PassId,
  windowId: string,
  end: WindowEnd,
  tally: Tally,
): Promise<CloseVerdict> {
  const { source, config } = drain;
  const verdict = await source.passes.endWindow(config.name, passId, windowId, end, tally);
  if (verdict.kind !== "pass-closed") return verdict;
  const { pass, outcome, tally: counts, durationMs } = verdict;
  source.events.emit({ type: "pass:closed", drain: config.name, passId, outcome, counts, durationMs });
  if (outcome !== "complete") return verdict;
  const census = toPassCensus(drain, pass, counts);
  // Losing this write costs one listing.
  if (census !== null) await source.book.recordCensus(census).catch(() => undefined);
  // If the pass deleted something, a service whose cursor is a position has skipped records.
  if (pass.kind === "full" && pass.mode === "live" && counts.deleted === 0 && selectsEverything(config)) {
    // A pending record that a whole pass did not list was deleted by someone or has expired. This is sure
    // only without a selection, which the record may merely have left. Nothing past `pass.to` was listed, and
    // that is minutes before the start if this worker's clock or the service's is behind.
    await source.ledger.markUnlistedGone(config.name, Math.min(pass.startedAt, pass.to));
  }
  return verdict;
}
