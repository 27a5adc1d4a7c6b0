import { defined } from "../../../job/message/defined.ts";
import { readHostsOfKinds } from "../../read/read-failures.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import {
  type Core,
  type DrainRuntime,
  findWithOneCall,
  recordIntent,
  type SourceRuntime,
} from "../../../job/door.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";

import { decideRecord } from "../../../job/door-pure.ts";
import type { RawRecord } from "../../../job/message/dead-letter.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import { isRedisAway, isRedriverError } from "../../../job/contracts/errors.ts";
import type { ParkedSearch } from "../define.ts";
import { findParkedLetters, type FoundParked } from "./find.ts";
import { isOfRecord } from "./next-step.ts";

const entriesPerCall = 100;

/**
 * Releases parked records by a person's order: each may be tried once more, whatever parked it. Writes the
 * audit first, then the ledger, a hundred at a time. The audit has the host of its kind of failure if the
 * record was not listed. Then it makes the next passes of drains that list them full.
 * Answers how many were released; records no longer parked do not count. Throws `redis-unavailable`; earlier
 * releases stay.
 */
export async function releaseParked(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  entries: readonly Pick<FoundParked, "dlqId" | "view" | "letter">[],
  why: string,
): Promise<number> {
  if (entries.length === 0) return 0;
  const hosts = await readHostsOfKinds(source);
  let released = 0;
  for (const [drain, group] of groupBy(entries, ({ view }) => view.drain)) {
    for (let start = 0; start < group.length; start += entriesPerCall) {
      const some = group.slice(start, start + entriesPerCall);
      const records = some.map(({ dlqId, view: { reason, attempt, failure = "" }, letter }) => ({
        dlqId,
        reason,
        attempt,
        ...defined({ host: letter?.host ?? hosts.get(failure) }),
      }));
      await recordIntent(source, "release", records, { drain, why });
      released += (await source.ledger.release(some.map(({ dlqId }) => dlqId))).count;
    }
    await makeNextPassFull(source, drains, drain);
  }
  return released;
}

/** Makes the drain's next pass full, or that of all drains of the source if the document lacks the drain. */
async function makeNextPassFull(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  drain: DrainName,
): Promise<void> {
  const names = drains.has(drain)
    ? [drain, ...(drains.get(drain)?.shared?.names ?? [])]
    : [...drains.values()]
        .filter(({ config }) => config.source.id === source.config.id)
        .map(({ config }) => config.name);
  for (const name of names) await source.passes.forceFull(name);
}

/** So many are read one by one, whatever parked them. Of more, those that were parked for what they are. */
const maxSingle = 10;

/**
 * Reads them from the queue and decides each as if it were released. Changes nothing. What cannot be read may
 * be released: the order is a person's. Throws `redis-unavailable`.
 */
export async function findUseless(core: Core, found: readonly FoundParked[], search: ParkedSearch) {
  const reasons = new Map<FoundParked, ParkReason>();
  const look = (one: FoundParked, raw: RawRecord): void => {
    const reason = parkedAgainFor(core, one, raw);
    if (reason !== null) reasons.set(one, reason);
  };
  /** Why the others were not looked at; null: they were, or nothing suggests it. */
  let unknown: string | null = null;
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
    unknown = error.code;
  }
  return { reasons, unknown };
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
