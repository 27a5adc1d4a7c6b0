import type { ParkReason } from "../../message/park-reasons.ts";
import type { RawRecord } from "../../message/dead-letter.ts";
import type { Core } from "../../compose/build-core.ts";
import type { ParkedDeadLetter } from "../../ports/ledger-entries.ts";
import { compileGlob } from "../../rules/patterns/glob.ts";
import { findParkedLetters, readParked, type ParkedLetter } from "../../redrive/parked/find-parked.ts";
import { readFailureMatcher, type FailureMatcher } from "../../redrive/failures/failure-matcher.ts";
import type { SourceRuntime } from "../../redrive/runtime.ts";
import type { ListingSignals } from "../../redrive/listing/list-page.ts";

export interface ParkedFilter {
  readonly drain?: string;
  readonly for?: ParkReason;
  readonly host?: string;
  readonly rule?: string;
  /** The id of a kind of failure. */
  readonly failure?: string;
  readonly limit?: number;
}

export interface FoundParked extends ParkedDeadLetter {
  readonly source: SourceRuntime;
  /** False: the document has no such drain on this source, so no rules decide it again until a release. */
  readonly hasDrain: boolean;
  /** Null: no longer in the queue. Undefined: not listed. */
  readonly letter: ParkedLetter | null | undefined;
}

/**
 * What is parked and fits, oldest first, and how many fit without the limit. The queue is listed if host,
 * rule or failure are asked for, or if `listing` is "always"; for a limited table only for what it shows.
 */
export async function findParked(
  core: Core,
  filter: ParkedFilter,
  ids: readonly string[],
  listing: "always" | "if-needed",
  signals: ListingSignals,
): Promise<{ readonly found: readonly FoundParked[]; readonly total: number }> {
  const wanted = new Set(ids);
  const found: FoundParked[] = [];
  for (const { runtime } of core.sources.values()) {
    for (const entry of await readParked(runtime)) {
      const { dlqId, view } = entry;
      if (wanted.size > 0 && !wanted.has(dlqId)) continue;
      if (filter.drain !== undefined && view.drain !== filter.drain) continue;
      if (filter.for !== undefined && view.reason !== filter.for) continue;
      const hasDrain = core.drains.get(view.drain)?.config.source.id === runtime.config.id;
      found.push({ ...entry, source: runtime, hasDrain, letter: undefined });
    }
  }
  const { host, rule, failure, limit = Number.POSITIVE_INFINITY } = filter;
  if ([host, rule, failure].every((asked) => asked === undefined)) {
    const shown = found.slice(0, limit);
    const listed = listing === "always" ? await withLetters(core, shown, signals) : shown;
    return { found: listed, total: found.length };
  }
  const isOfKind = await readMatchers(core, failure);
  const isHost = host === undefined ? () => true : compileGlob(host.toLowerCase());
  const fitting = (await withLetters(core, found, signals)).filter(
    ({ letter, source }) =>
      letter &&
      isOfKind.get(source)?.(letter.failure) !== false &&
      (isHost(letter.host) || isHost(letter.host.replace(/:\d+$/, ""))) &&
      (rule === undefined || letter.rule === rule),
  );
  return { found: fitting.slice(0, limit), total: fitting.length };
}

/** Adds what the queue lists. `onRaw` gets the records themselves, which are not stored. */
export async function withLetters(
  core: Core,
  parked: readonly FoundParked[],
  signals: ListingSignals,
  onRaw: (dlqId: string, raw: RawRecord) => void = () => undefined,
): Promise<readonly FoundParked[]> {
  const letters = new Map<ParkedDeadLetter, ParkedLetter | null>();
  for (const { runtime } of core.sources.values()) {
    const own = parked.filter(({ source }) => source === runtime);
    const gone = await findParkedLetters(runtime, core.drains, own, signals, (entry, letter, raw) => {
      letters.set(entry, letter);
      onRaw(entry.dlqId, raw);
    });
    for (const entry of own) if (gone.has(entry.dlqId)) letters.set(entry, null);
  }
  return parked.map((one) => ({ ...one, letter: letters.get(one) }));
}

/** Empty if no kind is asked for. */
async function readMatchers(
  { sources }: Core,
  failure: string | undefined,
): Promise<ReadonlyMap<SourceRuntime, FailureMatcher>> {
  const matchers = new Map<SourceRuntime, FailureMatcher>();
  if (failure === undefined) return matchers;
  for (const { runtime } of sources.values()) {
    matchers.set(runtime, await readFailureMatcher(runtime, failure));
  }
  return matchers;
}
