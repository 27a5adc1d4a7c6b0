import type { DlqId } from "../../message/dead-letter.ts";
import { isRedisAway, isRedriverError, type RedriverError } from "../../ports/errors.ts";
import type { DeleteEnd } from "../../ports/ledger.ts";
import { recordFact, type ActOf } from "../record-act.ts";
import type { SourceRuntime } from "../runtime.ts";
import { waitWithinBudget, type WaitBudget } from "../source/wait-budget.ts";

/**
 * How one DELETE of proven ids ended. `short`: fewer were deleted than asked, which ones is not said.
 * `refused`: the call was, maybe for one of its ids, which may be gone. `not-now`: the service did not answer
 * or asked for a pause that is longer than may be waited for, and is left alone for that
 * (resting-service.ts).
 */
export type SettleOutcome = "deleted" | "short" | "refused" | "not-now" | "failed";

export interface Settled {
  readonly deleted: number;
  /** One per DELETE. */
  readonly outcomes: readonly SettleOutcome[];
  /** What the last that was refused was answered with. */
  readonly refusedWith: RedriverError | null;
}

export interface SettleCall {
  readonly signal: AbortSignal;
  /** For pauses that the service asks for. */
  readonly waits: WaitBudget;
  /** Those whose delete is in the audit already; absent: none. */
  readonly noted?: ReadonlySet<DlqId>;
  /** A DELETE of some of them failed before. */
  readonly isAgain?: boolean;
}

/** The most that one DELETE takes. */
export const idsPerDelete = 100;
/**
 * Ids that are gone are no error in what we know of the service, but errors are documented nowhere: these may speak of the ids and not of
 * the source. 414 and 431 of their number.
 */
const refusalsOfIds: ReadonlySet<number> = new Set([400, 404, 409, 410, 412, 413, 414, 422, 431]);

/**
 * Deletes exactly these dead letters, whose publication (or archive) is proven and recorded, and then makes
 * them gone. A delete that fails, is refused or comes up short leaves them pending for the sweep; it never
 * throws for that.
 */
export async function settle(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly DlqId[],
  call: SettleCall,
): Promise<Settled> {
  let deleted = 0;
  let refusedWith: RedriverError | null = null;
  const outcomes: SettleOutcome[] = [];
  for (let start = 0; start < ids.length; start += idsPerDelete) {
    const [first, ...rest] = ids.slice(start, start + idsPerDelete);
    if (first === undefined) break;
    const one = await settlePage(source, of, [first, ...rest], call);
    deleted += one.deleted;
    outcomes.push(one.outcome);
    refusedWith = one.refusedWith ?? refusedWith;
  }
  return { deleted, outcomes, refusedWith };
}

async function settlePage(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly [DlqId, ...DlqId[]],
  { signal, waits, noted, isAgain = false }: SettleCall,
): Promise<{
  readonly deleted: number;
  readonly outcome: SettleOutcome;
  readonly refusedWith?: RedriverError;
}> {
  const { service, ledger, events, health, config } = source;
  // A note, not an intent: the proof is in hand, and a dead letter that stays in the queue while Redis is away may double.
  const records = ids.flatMap((dlqId) => (noted?.has(dlqId) === true ? [] : [{ dlqId }]));
  await recordFact(source, "delete", records, of);
  const { drain } = of;
  let deleted: number;
  try {
    ({ deleted } = await waitWithinBudget(source.clock, waits, () => service.remove(ids, signal)));
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    const isRefused = error.status !== undefined && refusalsOfIds.has(error.status);
    if (!isRefused) health.noteDelete(error);
    await ignoreRedisOutage(() => ledger.deleteFailed(ids, toEnd(error, isRefused, isAgain)));
    if (isRefused) return { deleted: 0, outcome: "refused", refusedWith: error };
    const isLost = error.isForeign && health.current().state === "usable";
    const isLater = isLost || error.disposition === "wait" || error.disposition === "retry";
    return { deleted: 0, outcome: isLater ? "not-now" : "failed" };
  }
  if (deleted > 0) health.deleted();
  if (deleted < ids.length) {
    events.emit({ type: "delete:short", source: config.id, asked: ids.length, deleted });
    if (deleted > 0) events.emit({ type: "record:settled", drain, source: config.id, count: deleted });
    await ignoreRedisOutage(() => ledger.deleteFailed(ids, "short"));
    return { deleted, outcome: "short" };
  }
  await ignoreRedisOutage(() => ledger.gone(ids));
  events.emit({ type: "record:settled", drain, source: config.id, count: ids.length });
  return { deleted, outcome: "deleted" };
}

/**
 * Whether what failed may have deleted something. Looking first costs a listing, and a delete after it where
 * nothing was deleted; deleting first costs a delete, and a listing after it where something was. So what
 * mostly failed before it had an effect, as a 5xx, is deleted again, and what mostly had one, as an answer
 * that is lost, is looked for. A refusal may mean that ids are gone; so may a 5xx that comes again.
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

/** The dead letters stay pending in the ledger when this is not written; the sweep finds them there. */
async function ignoreRedisOutage(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isRedisAway(error)) throw error;
  }
}
