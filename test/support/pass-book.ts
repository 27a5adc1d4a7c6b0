import type { FailureCounts } from "../../src/job/contracts/failures.ts";
import type { PassId } from "../../src/job/contracts/ids.ts";
import type { OpenRequest, Pass, PassBook, Window } from "../../src/job/contracts/passes.ts";
import { emptyTally, type Tally } from "../../src/job/contracts/tally.ts";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import { drain, source, startOfTime } from "./ledger-stands.ts";

export const minuteMs = 60_000;
export const fullEveryMs = 30 * minuteMs;
export const overlapMs = 2 * minuteMs;
/** The start of a minute. */
export const epoch = startOfTime - (startOfTime % minuteMs);

export const nothing: Tally = { ...emptyTally, pages: 1 };

export const passId = (text: string): PassId => text as PassId;

export function asking(id: string, changes: Partial<OpenRequest> = {}): OpenRequest {
  return {
    passId: passId(id),
    drain,
    source,
    mode: "live",
    documentHash: "doc-1",
    countingKey: "as-1",
    to: epoch,
    fullFrom: 0,
    fullEveryMs,
    mayBeNew: true,
    overlapMs,
    abandonAfterMs: 300_000,
    ...changes,
  };
}

/** As if all records of the tally had arrived, had failed alike, and none was parked before. */
export function toFailures(tally: Partial<Tally>): FailureCounts {
  const { due = 0, held = 0, parked = 0, inDoubt = 0, republished = 0 } = tally;
  const seen = due + held + parked + inDoubt + republished;
  const done = { published: republished, arrivedDone: { 7: republished } };
  return { one: { seen, arrived: { 7: seen }, parked, ...done } };
}

export async function open(passes: PassBook, id: string, changes: Partial<OpenRequest> = {}) {
  const verdict = await passes.open(asking(id, changes));
  if (verdict.kind !== "opened") throw new Error(`expected an open pass, got ${verdict.kind}`);
  return verdict;
}

/** Opens a pass and ends all its windows, the first with `tally`. */
export async function runPass(
  passes: PassBook,
  id: string,
  changes: Partial<OpenRequest> = {},
  tally: Partial<Tally> = {},
  end: "done" | "failed" = "done",
  failures: FailureCounts = toFailures(tally),
) {
  const opened = await open(passes, id, changes);
  const { pass, windows } = opened;
  for (const [index, { windowId }] of windows.entries()) {
    const found = index === 0 ? { ...nothing, ...tally } : nothing;
    const ending = end === "done" ? { kind: end, split: [] } : { kind: end };
    await passes.endWindow(pass.drain, pass.passId, windowId, ending, found, index === 0 ? failures : {});
  }
  return opened;
}

/** In the first window: what was entered then becomes due then. */
export function addDue(
  passes: PassBook,
  { drain: of, passId: id }: Pass,
  dueLater: Parameters<PassBook["progress"]>[3],
) {
  return passes.progress(of, id, "w1", dueLater, nothing, {});
}

export function endWindow(
  passes: PassBook,
  { drain: of, passId: id }: Pass,
  windowId = "w1",
  found: Tally = nothing,
  failures: FailureCounts = toFailures(found),
  counted: readonly string[] = [],
) {
  const done = { kind: "done", split: [] } as const;
  return passes.endWindow(of, id, windowId, done, found, failures, undefined, counted as DlqId[]);
}

export const ranges = (windows: readonly Window[]) =>
  windows.map(({ from, to }) => [from - epoch, to - epoch]);
