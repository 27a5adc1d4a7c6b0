/** Which parked dead letters a release cannot help, because something about them would only park them again. */
import { type Core, findWithOneCall } from "../../../job/door.ts";
import { decideRecord } from "../../../job/door-pure.ts";
import type { RawRecord } from "../../../job/message/dead-letter.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import { isRedisAway, isRedriverError } from "../../../job/contracts/errors.ts";
import { findParkedLetters, type ParkedSearch } from "./find-parked.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import type { FoundParked } from "./find.ts";
import { isOfRecord } from "./next-step.ts";

export interface Useless {
  /** Why each of them would be parked again. */
  readonly reasons: ReadonlyMap<FoundParked, ParkReason>;
  /** Why the others were not looked at; null: they were, or nothing suggests it. */
  readonly unknown: string | null;
}

/** So many are read one by one, whatever parked them. Of more, those that were parked for what they are. */
const maxSingle = 10;

/**
 * Reads them from the queue and decides each as if it were released. Changes nothing. What cannot be read may
 * be released: the order is a person's. Throws `redis-unavailable`.
 */
export async function findUseless(
  core: Core,
  found: readonly FoundParked[],
  search: ParkedSearch,
): Promise<Useless> {
  const reasons = new Map<FoundParked, ParkReason>();
  const look = (one: FoundParked, raw: RawRecord): void => {
    const reason = parkedAgainFor(core, one, raw);
    if (reason !== null) reasons.set(one, reason);
  };
  try {
    if (found.length <= maxSingle) {
      for (const one of found) {
        const raw = await findWithOneCall(one.dlqId, { source: one.source, signal: search.signal });
        if (raw !== null) look(one, raw);
      }
    } else {
      const ofRecord = found.filter(({ view }) => isOfRecord(view.reason));
      for (const [source, own] of groupBy(ofRecord, (one) => one.source)) {
        await findParkedLetters(source, core.drains, own, search, (one, _letter, raw) => look(one, raw));
      }
    }
  } catch (error) {
    if (!isRedriverError(error) || isRedisAway(error)) throw error;
    return { reasons, unknown: error.code };
  }
  return { reasons, unknown: null };
}

/** Null: it would be sent, or nobody can tell. */
export function parkedAgainFor(
  { drains }: Pick<Core, "drains">,
  { view, hasDrain }: Pick<FoundParked, "view" | "hasDrain">,
  raw: RawRecord,
): ParkReason | null {
  const drain = drains.get(view.drain);
  if (drain === undefined || !hasDrain) return null;
  const decided = decideRecord(drain, raw, {
    view: {
      state: "cool",
      dueAt: 0,
      refusedAlone: 0,
      attempt: Math.max(0, view.attempt - 1),
      released: "by-person",
      suffix: 1,
    },
    viewedAt: 0,
  });
  if ("unusable" in decided) return decided.unusable?.reason ?? null;
  const { decision } = decided.letter;
  return decision.then === "park" ? decision.reason : null;
}
