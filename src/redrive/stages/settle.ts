import type { DlqId } from "../../message/dead-letter.ts";
import { isRedisAway, isRedriverError } from "../../ports/errors.ts";
import { noteFact, type ActOf } from "../note-act.ts";
import type { SourceRuntime } from "../runtime.ts";

/** How one DELETE of proven ids ended. `short`: fewer were deleted than asked, which ones is not said. */
export type SettleOutcome = "deleted" | "short" | "failed";

const idsPerDelete = 100;

/**
 * Deletes exactly these dead letters, whose publication (or archive) is proven and recorded, and then makes them gone.
 * A delete that fails or comes up short leaves them pending for the sweep; it never throws for that.
 */
export async function settle(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly DlqId[],
  signal: AbortSignal,
): Promise<{ readonly deleted: number; readonly outcomes: readonly SettleOutcome[] }> {
  let deleted = 0;
  const outcomes: SettleOutcome[] = [];
  for (let start = 0; start < ids.length; start += idsPerDelete) {
    const [first, ...rest] = ids.slice(start, start + idsPerDelete);
    if (first === undefined) break;
    const one = await settlePage(source, of, [first, ...rest], signal);
    deleted += one.deleted;
    outcomes.push(one.outcome);
  }
  return { deleted, outcomes };
}

async function settlePage(
  source: SourceRuntime,
  of: ActOf,
  ids: readonly [DlqId, ...DlqId[]],
  signal: AbortSignal,
): Promise<{ readonly deleted: number; readonly outcome: SettleOutcome }> {
  const { service, ledger, events, health, config } = source;
  // A note, not an intent: the proof is in hand, and a dead letter that stays in the queue while Redis is away may double.
  const records = ids.map((dlqId) => ({ dlqId }));
  await noteFact(source, "delete", records, of);
  const { drain } = of;
  let deleted: number;
  try {
    ({ deleted } = await service.remove(ids, signal));
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    health.note(error);
    await whateverRedisSays(() => ledger.deleteFailed(ids));
    return { deleted: 0, outcome: "failed" };
  }
  if (deleted < ids.length) {
    events.emit({ type: "delete:short", source: config.id, asked: ids.length, deleted });
    if (deleted > 0) events.emit({ type: "record:settled", drain, source: config.id, count: deleted });
    return { deleted, outcome: "short" };
  }
  await whateverRedisSays(() => ledger.gone(ids));
  events.emit({ type: "record:settled", drain, source: config.id, count: ids.length });
  return { deleted, outcome: "deleted" };
}

/** The dead letters stay pending in the ledger when this is not written; the sweep finds them there. */
async function whateverRedisSays(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isRedisAway(error)) throw error;
  }
}
