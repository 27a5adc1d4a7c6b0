import { RedriverError, isRedisAway, isRedriverError, toFailure, type Failure } from "../contracts/errors.ts";
import type { PassId } from "../contracts/ids.ts";
import type { CloseVerdict, Pass, Window, WindowEnd } from "../contracts/passes.ts";
import { emptyTally, type Tally } from "../contracts/tally.ts";
import { FailureTally } from "../failures/count-failures.ts";
import { toPassCensus } from "../census/census-from-pass.ts";
import { selectsEverything } from "../message/select.ts";
import { smallAnswerBytes } from "../listing/list-page.ts";
import { toListing } from "../listing/list-to-end.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { pageThroughWindow } from "./page-through-window.ts";
import { narrowWindow } from "./select-dates.ts";

export interface WindowWork {
  readonly passId: PassId;
  readonly windowId: string;
  readonly owner?: string;
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
  readonly lastTry: boolean;
  /** If true, failures of Redis get more tries even on the last try. */
  readonly awaitsRedis?: true;
  /** True if another living process works under this document; absent: there is no other. */
  readonly isWorkedElsewhere?: (documentHash: string) => Promise<boolean>;
  /** True if another living process may call the source that is halted here; absent: there is no other. */
  readonly isCalledElsewhere?: () => Promise<boolean>;
  readonly onPage?: (tally: Tally) => void;
  readonly hasStalled?: boolean;
  /** How many windows of the pass all processes work on at once. Absent: 1. */
  readonly places?: number;
}

export interface WindowResult {
  readonly split: readonly Window[];
  readonly verdict: CloseVerdict;
  /** The failure that ended it early; null: none, or it was not worked. */
  readonly failedWith: unknown;
}

/** A window whose source is halted in this process alone returns after this, for any process. */
const leftToOthersMs = 2_000;

/** The error for a window that only another process can work. The window returns without spending a try. */
export function leftToOthers({ clock, config }: SourceRuntime, cause?: unknown): RedriverError {
  return new RedriverError(
    "service-resting",
    `source ${config.id} is halted in this process, and another may call it`,
    { retryAt: clock.now() + leftToOthersMs * (1 + clock.random() / 2), cause },
  );
}

/**
 * Works one window of an open pass and ends it, unless another worker has taken it over. A failure worth another
 * try is thrown, and the window stays. Any other failure ends it, which makes the pass partial. A halted source
 * ends it only if no other process may call the source: otherwise a halted process would end windows that others
 * could work.
 *
 * A window of another document's pass is left alone (`document-changed`) while a process works under that document.
 * Otherwise it is ended, so that the next pass can open under this one.
 */
export async function workWindow(drain: DrainRuntime, work: WindowWork): Promise<WindowResult> {
  const { source, config, documentHash } = drain;
  const { passId, windowId, owner = source.identities.token(), signal, stopping, places = 1 } = work;
  const run = { passId, windowId, owner };
  const taken = await source.passes.takeWindow(config.name, passId, windowId, owner, work.hasStalled);
  if (taken === null) return { split: [], verdict: { kind: "stale" }, failedWith: null };
  // Whoever takes it next is not to take this worker for lost.
  const leave = (isStopping: boolean): Promise<void> =>
    source.passes.leaveWindow(config.name, run, isStopping).catch(() => undefined);
  let latest = emptyTally;
  let failures = new FailureTally();
  const fail = async (failure: Failure, failedWith: unknown): Promise<WindowResult> => {
    source.events.emit({ type: "window:failed", drain: config.name, passId, ...failure });
    const verdict = await endWindow(drain, run, { kind: "failed" }, latest, failures);
    return { split: [], verdict, failedWith };
  };
  const opened = taken.pass.documentHash;
  if (opened !== documentHash) {
    const message = `the pass was opened under document ${opened}, this is ${documentHash}`;
    if (await work.isWorkedElsewhere?.(opened)) {
      await leave(false);
      throw new RedriverError("document-changed", message);
    }
    return fail({ code: "document-changed", message }, null);
  }
  const onPage = (soFar: Tally, found: FailureTally): void => {
    latest = soFar;
    failures = found;
    work.onPage?.(soFar);
  };
  let ended: Awaited<ReturnType<typeof pageThroughWindow>>;
  try {
    ended = await pageThroughWindow({ drain, ...taken, owner, places, signal, stopping, onPage });
  } catch (error) {
    const isStopping = stopping.aborted || signal.aborted;
    await leave(isStopping);
    if (isStopping) {
      throw new RedriverError("stopped", "the window was handed back before its end", { cause: error });
    }
    const disposition = isRedriverError(error) ? error.disposition : "crash";
    if (work.awaitsRedis === true && isRedisAway(error)) throw error;
    if (disposition === "wait" || (disposition === "retry" && !work.lastTry)) throw error;
    if (disposition === "halt" && (await work.isCalledElsewhere?.())) throw leftToOthers(source, error);
    return fail(toFailure(error), error);
  }
  if (ended === null) return { split: [], verdict: { kind: "stale" }, failedWith: null };
  const { split, tally } = ended;
  const verdict = await endWindow(drain, run, { kind: "done", split }, tally, ended.failures);
  return { split: verdict.kind === "stale" ? [] : split, verdict, failedWith: null };
}

/** Ends a window that is empty, without a job of its own. Null: it is to be worked, also if the listing failed. */
export async function endEmptyWindow(
  drain: DrainRuntime,
  { passId, startedAt }: Pass,
  given: Window,
  signal: AbortSignal,
): Promise<CloseVerdict | null> {
  const { source, config } = drain;
  const window = narrowWindow(config.dates, given, startedAt);
  if (window !== null) {
    if (source.health.current().state !== "usable") return null;
    const query = { ...toListing(config, window), count: 1, maxBytes: smallAnswerBytes };
    const page = await source.service.list(query, signal).catch(() => null);
    if (page === null || page.records.length > 0 || page.cursor !== undefined) return null;
  }
  const run = { passId, windowId: given.windowId, owner: source.identities.token() };
  return endWindow(drain, run, { kind: "done", split: [] }, { ...emptyTally, pages: 1 });
}

/** Ends a window that will not be worked, unless another owner has it (absent: whoever has it). */
export function abandonWindow(drain: DrainRuntime, run: AbandonedRun): Promise<CloseVerdict> {
  return endWindow(drain, run, { kind: "abandoned" }, emptyTally);
}

type AbandonedRun = Pick<WindowWork, "passId" | "windowId" | "owner">;

async function endWindow(
  drain: DrainRuntime,
  { passId, windowId, owner }: AbandonedRun,
  end: WindowEnd,
  tally: Tally,
  failures = new FailureTally(),
): Promise<CloseVerdict> {
  const { source, config, shared } = drain;
  const { name } = config;
  const counted = await source.recordFailures(name, failures);
  await shared?.write();
  const ids = failures.shared.size === 0 ? undefined : [...failures.shared];
  const { passes } = source;
  const verdict = await passes.endWindow(name, passId, windowId, end, tally, counted, owner, ids);
  if (verdict.kind !== "pass-closed") return verdict;
  const { pass, outcome, tally: counts, durationMs } = verdict;
  source.events.emit({ type: "pass:closed", drain: config.name, passId, outcome, counts, durationMs });
  if (outcome !== "complete") return verdict;
  const census = toPassCensus(drain, pass, counts);
  // Losing this write costs one listing.
  if (census !== null) await source.book.recordCensus(census).catch(() => undefined);
  // A service whose cursor is a position has skipped records, if the pass deleted some, answered or not.
  const mayHaveSkipped = counts.deleted > 0 || counts.pagesBehindDeletes > 0;
  if (pass.kind === "full" && pass.mode === "live" && !mayHaveSkipped && selectsEverything(config)) {
    // A pending record that a whole pass did not list is gone. This is sure only without a selection, which it may
    // have left. Nothing past `pass.to` was listed: that is minutes before the start if a clock is behind.
    await source.ledger.markUnlistedGone(config.name, Math.min(pass.startedAt, pass.to));
  }
  return verdict;
}
