import { isOfInput } from "../by-halves.ts";
import type { DlqId } from "../message/dead-letter.ts";
import { isRedriverError, unlessRedisAway, type RedriverError } from "../contracts/errors.ts";
import type { DeleteEnd } from "../contracts/ledger.ts";
import { ofDrain, recordFact, type ActOf } from "../write-audit.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { waitWithinBudget, type WaitBudget } from "../source/wait-budget.ts";

/**
 * How one DELETE of proven ids ended. `short`: fewer were deleted than asked, and the answer does not say
 * which. `refused`: the call was refused, perhaps because one of its ids is gone. `not-now`: the service did
 * not answer, or asked for a pause longer than the wait budget; the source pauses then (pausing-service.ts).
 */
export type SettleOutcome = "deleted" | "short" | "refused" | "not-now" | "failed";

export interface SettleCall {
  readonly signal: AbortSignal;
  /** For pauses that the service asks for. */
  readonly waits: WaitBudget;
  /** Ids whose delete is not in the audit yet; absent: all. Those of a page came with their publication. */
  readonly unrecorded?: ReadonlySet<DlqId>;
  /** A DELETE of some of them failed before. */
  readonly isAgain?: boolean;
}

/**
 * How long the deletes of one page wait for pauses that the service asks for: as long as a page waits for a host's turn
 * (gates/rounds.ts). Under a limit of a few calls per second that is some resets. Longer pauses are left to the sweep.
 */
const settleWaitsMs = 15_000;

/** If a page leaves deletes undone, a sweep comes this soon, so that the settle gate need not close. */
const sweptWithinMs = 1_000;

/** One DELETE takes at most this many ids. */
export const idsPerDelete = 100;
/**
 * Statuses that may mean the ids and not the source. As far as we know, ids that are gone cause no error, but
 * the service documents no errors. 414 and 431 mean the number of ids.
 */
const refusalsOfIds: ReadonlySet<number> = new Set([400, 404, 409, 410, 412, 413, 414, 422, 431]);

export interface Settled {
  readonly deleted: number;
  /** DELETEs, also those that failed: one without an answer may have deleted. */
  readonly calls: number;
}

/** The settle of one page. It leaves failed deletes to the sweep. `unrecorded` is that of SettleCall. */
export function settleOrLeave(drain: DrainRuntime, signal: AbortSignal, stop: AbortSignal) {
  const waits: WaitBudget = { leftMs: settleWaitsMs, signal: stop };
  return async (ids: readonly DlqId[], unrecorded: ReadonlySet<DlqId>): Promise<Settled> => {
    const call = { signal, waits, unrecorded };
    const { deleted, outcomes } = await settle(drain.source, ofDrain(drain), ids, call);
    if (outcomes.some((outcome) => outcome !== "deleted")) drain.source.sweepRequest.within(sweptWithinMs);
    return { deleted, calls: outcomes.length };
  };
}

/**
 * Deletes exactly these dead letters, after their publication or archive copy is proven, and then marks them
 * gone. The proof is recorded before, or waits in this process while Redis is away (unwritten-facts.ts). A
 * delete that fails, is refused or is short leaves them pending for the sweep. It never throws for that.
 * Answers one outcome per DELETE, and the error of the last refused one.
 */
export async function settle(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly DlqId[],
  call: SettleCall,
): Promise<{
  readonly deleted: number;
  readonly outcomes: readonly SettleOutcome[];
  readonly refusedWith: RedriverError | null;
}> {
  let deleted = 0;
  let refusedWith: RedriverError | null = null;
  const outcomes: SettleOutcome[] = [];
  for (let start = 0; start < ids.length; start += idsPerDelete) {
    const [first, ...rest] = ids.slice(start, start + idsPerDelete);
    if (first === undefined) break;
    const one = await deleteOnce(source, of, [first, ...rest], call);
    deleted += one.deleted;
    outcomes.push(one.outcome);
    refusedWith = one.refusedWith ?? refusedWith;
  }
  return { deleted, outcomes, refusedWith };
}

interface Deleted {
  readonly deleted: number;
  readonly outcome: SettleOutcome;
  readonly refusedWith?: RedriverError;
}

async function deleteOnce(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly [DlqId, ...DlqId[]],
  { signal, waits, unrecorded, isAgain = false }: SettleCall,
): Promise<Deleted> {
  const { service, ledger, events, health, config } = source;
  // Recorded as a fact, not as an intent: the proof is in hand, and a dead letter that stays in the queue
  // while Redis is away may double.
  if (unrecorded?.size !== 0) {
    const some = ids.filter((dlqId) => unrecorded?.has(dlqId) !== false);
    const records = some.map((dlqId) => ({ dlqId }));
    await recordFact(source, "delete", records, of);
  }
  const { drain } = of;
  let deleted: number;
  try {
    ({ deleted } = await waitWithinBudget(source.clock, waits, () => service.remove(ids, signal)));
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    const isRefused = error.status !== undefined && refusalsOfIds.has(error.status);
    if (!isRefused) health.noteDelete(error);
    await leaveToSweep(() => ledger.deleteFailed(ids, toEnd(error, isRefused, isAgain)));
    if (isRefused) return { deleted: 0, outcome: "refused", refusedWith: error };
    const isLost = error.isForeign && health.current().state === "usable";
    const isLater = isLost || error.disposition === "wait" || error.disposition === "retry";
    return { deleted: 0, outcome: isLater ? "not-now" : "failed" };
  }
  if (deleted > 0) health.deleted();
  if (deleted < ids.length) {
    events.emit({ type: "delete:short", source: config.id, asked: ids.length, deleted });
    if (deleted > 0) events.emit({ type: "record:settled", drain, source: config.id, count: deleted });
    await leaveToSweep(() => ledger.deleteFailed(ids, "short"));
    return { deleted, outcome: "short" };
  }
  await leaveToSweep(() => ledger.gone(ids));
  events.emit({ type: "record:settled", drain, source: config.id, count: ids.length });
  return { deleted, outcome: "deleted" };
}

/**
 * `unanswered` if the failed call may have deleted something. Listing first costs a listing, plus a delete if
 * nothing was deleted. Deleting first costs a delete, plus a listing if something was. A 5xx mostly comes
 * before any effect, so its ids are deleted again. A lost answer mostly comes after the effect, so its ids
 * are listed first. A refusal may mean that ids are gone; so may a second 5xx.
 */
function toEnd(
  { code, status, notSent, disposition }: RedriverError,
  isRefused: boolean,
  isAgain: boolean,
): DeleteEnd {
  if (isRefused) return "unanswered";
  if (notSent || code === "rate-limited") return "failed";
  if (status !== undefined && status >= 500) return isAgain ? "unanswered" : "failed";
  return disposition === "halt" && code !== "answer-unreadable" ? "failed" : "unanswered";
}

/**
 * Without this write the dead letters stay pending in the ledger, where the sweep finds them: if Redis is away, or
 * an id breaks the write. The DELETE was made, so nothing here may lead to a second one.
 */
async function leaveToSweep(write: () => Promise<unknown>): Promise<void> {
  try {
    await unlessRedisAway(write, undefined);
  } catch (error) {
    if (!isOfInput(error)) throw error;
  }
}
