import { isOfInput } from "../by-halves.ts";
import type { DlqId, MessageId } from "../message/dead-letter.ts";
import type { DeleteEnd } from "../contracts/ledger.ts";
import { isRedriverError, unlessRedisAway, type RedriverError } from "../contracts/errors.ts";
import { ofDrain, recordFact, type ActOf } from "../write-audit.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { waitWithinBudget, type WaitBudget } from "../source/wait-budget.ts";
import { idsOf } from "./letter.ts";

/** `refused`: perhaps an id is gone. `not-now`: no answer, or a pause longer than the wait budget. */
export type SettleOutcome = "deleted" | "short" | "refused" | "not-now" | "failed";

export interface SettleCall {
  readonly signal: AbortSignal;
  readonly waits: WaitBudget;
  /** Ids whose delete is not in the audit yet; absent: all. Those of a page came with their publication. */
  readonly unrecorded?: ReadonlySet<DlqId>;
  readonly isAgain?: boolean;
  /** The letters of these ids, if a page of the drain has listed them. */
  readonly listed?: readonly Listed[];
}

/**
 * As long as a page waits for a host's turn: some resets of a few calls per second. Longer pauses are the sweep's.
 */
const settleWaitsMs = 15_000;

/** If a page leaves deletes undone, a sweep comes this soon, so that the settle gate need not close. */
const sweptWithinMs = 1_000;

export const idsPerDelete = 100;
/** They may mean the ids: the service documents no errors. 414 and 431 mean their number. */
const refusalsOfIds: ReadonlySet<number> = new Set([400, 404, 409, 410, 412, 413, 414, 422, 431]);

export interface Settled {
  readonly deleted: number;
  /** DELETEs, also those that failed: one without an answer may have deleted. */
  readonly calls: number;
}

interface Listed {
  readonly dlqId: DlqId;
  readonly messageId: MessageId;
}

/** The settle of one page. It leaves failed deletes to the sweep. `unrecorded` is that of SettleCall. */
export function settleOrLeave(drain: DrainRuntime, signal: AbortSignal, stop: AbortSignal) {
  const waits: WaitBudget = { leftMs: settleWaitsMs, signal: stop };
  return async (letters: readonly Listed[], unrecorded: ReadonlySet<DlqId>): Promise<Settled> => {
    const call = { signal, waits, unrecorded, listed: letters };
    const { deleted, outcomes } = await settle(drain.source, ofDrain(drain), idsOf(letters), call);
    if (outcomes.some((outcome) => outcome !== "deleted")) drain.source.sweepRequest.within(sweptWithinMs);
    return { deleted, calls: outcomes.length };
  };
}

/**
 * Deletes exactly these dead letters, whose proof is recorded or waits for Redis (unwritten-facts.ts), and then
 * marks them gone. What fails, is refused or is short stays pending for the sweep, and nothing is thrown for it.
 * Answers one outcome per DELETE.
 */
export async function settle(source: SourceRuntime, of: ActOf, ids: readonly DlqId[], call: SettleCall) {
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
  { signal, waits, unrecorded, isAgain = false, listed = [] }: SettleCall,
): Promise<Deleted> {
  const { service, ledger, events, health, config } = source;
  // A fact, no intent: a proven dead letter that stays in the queue while Redis is away may double.
  if (unrecorded?.size !== 0) {
    const some = ids.filter((dlqId) => unrecorded?.has(dlqId) !== false);
    const records = some.map((dlqId) => ({ dlqId }));
    await recordFact(source, "delete", records, of);
  }
  const { drain } = of;
  const left = (how: DeleteEnd): Promise<void> => {
    const messages = new Map(listed.map(({ dlqId, messageId }) => [dlqId, messageId]));
    const messageIds = ids.flatMap((dlqId) => messages.get(dlqId) ?? []);
    const listedAs = drain && messageIds.length === ids.length ? { drain, messageIds } : null;
    return leaveToSweep(() => ledger.deleteFailed(ids, how, listedAs));
  };
  let deleted: number;
  try {
    ({ deleted } = await waitWithinBudget(source.clock, waits, () => service.remove(ids, signal)));
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    const isRefused = error.status !== undefined && refusalsOfIds.has(error.status);
    if (!isRefused) health.noteDelete(error);
    await left(toEnd(error, isRefused, isAgain));
    if (isRefused) return { deleted: 0, outcome: "refused", refusedWith: error };
    const isLost = error.isForeign && health.current().state === "usable";
    const isLater = isLost || error.disposition === "wait" || error.disposition === "retry";
    return { deleted: 0, outcome: isLater ? "not-now" : "failed" };
  }
  if (deleted > 0) health.deleted();
  if (deleted < ids.length) {
    events.emit({ type: "delete:short", source: config.id, asked: ids.length, deleted });
    if (deleted > 0) events.emit({ type: "record:settled", drain, source: config.id, count: deleted });
    await left("short");
    return { deleted, outcome: "short" };
  }
  await leaveToSweep(() => ledger.gone(ids));
  events.emit({ type: "record:settled", drain, source: config.id, count: ids.length });
  return { deleted, outcome: "deleted" };
}

/**
 * `unanswered` if the failed call may have deleted something, so that its ids are listed first. A 5xx mostly comes
 * before any effect, a lost answer after it. A refusal may mean that ids are gone; so may a second 5xx.
 */
function toEnd({ code, status, notSent, disposition }: RedriverError, isRefused: boolean, isAgain: boolean) {
  if (isRefused) return "unanswered";
  if (notSent || code === "rate-limited") return "failed";
  if (status !== undefined && status >= 500) return isAgain ? "unanswered" : "failed";
  return disposition === "halt" && code !== "answer-unreadable" ? "failed" : "unanswered";
}

/** Without this write they stay pending for the sweep. The DELETE was made: nothing here may lead to a second. */
async function leaveToSweep(write: () => Promise<unknown>): Promise<void> {
  try {
    await unlessRedisAway(write, undefined);
  } catch (error) {
    if (!isOfInput(error)) throw error;
  }
}
