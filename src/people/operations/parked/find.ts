import type { ParkReason } from "../../../job/message/park-reasons.ts";
import type { RawRecord } from "../../../job/message/dead-letter.ts";
import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import type { Core, SourceRuntime } from "../../../job/door.ts";
import { compileHostGlob } from "../../../job/rules/patterns/host-and-path-tests.ts";
import {
  findParkedLetters,
  readParked,
  type ParkedRecord,
  type ParkedSearch,
  type ParkedLetter,
} from "./find-parked.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { readFailureMatcher } from "../../plan/filter-letters.ts";

export interface ParkedFilter {
  readonly drain?: string;
  readonly for?: ParkReason;
  readonly host?: string;
  readonly rule?: string;
  readonly failure?: string;
}

/** Its `letter`: null if it is no longer in the queue, undefined if it was not listed. */
export interface FoundParked extends ParkedRecord {
  readonly letter?: ParkedLetter | null | undefined;
  readonly source: SourceRuntime;
  /** False: the document has no such drain on this source, so no rules decide it again until a release. */
  readonly hasDrain: boolean;
}

export interface ParkedSelection {
  readonly filter: ParkedFilter;
  readonly ids?: readonly string[];
  /** `if-needed`: the queue is listed only if host, rule or failure are asked for. */
  readonly listing: "always" | "if-needed";
  /** Only so many of the oldest are searched in the queue, if the ledger alone knows which fit. */
  readonly most?: number;
}

/** Calls back with each that fits, in no order, with its record if listed. Answers how many, also without `most`. */
export async function visitParked(
  core: Core,
  { filter, ids = [], listing, most = Infinity }: ParkedSelection,
  search: ParkedSearch,
  onFit: (one: FoundParked, raw?: RawRecord) => void,
): Promise<number> {
  const { host, rule, failure } = filter;
  const asksLetter = [host, rule, failure].some((asked) => asked !== undefined);
  const isHost = host === undefined ? () => true : compileHostGlob(host);
  const known = await readLedgers(core, filter, new Set(ids));
  const chosen = asksLetter || most === Infinity ? known : oldestOf(known, most);
  if (listing === "if-needed" && !asksLetter) {
    chosen.forEach((one) => onFit(one));
    return known.length;
  }
  let fitting = 0;
  for (const [source, own] of groupBy(chosen, (one) => one.source)) {
    const { drains } = core;
    const isOfKind = failure === undefined ? () => true : await readFailureMatcher(source, failure);
    const { unseen, isAbsent } = await findParkedLetters(source, drains, own, search, (one, letter, raw) => {
      if (!isHost(letter.host) || !isOfKind(letter.failure) || (rule !== undefined && letter.rule !== rule))
        return;
      fitting += 1;
      onFit({ ...one, letter }, raw);
    });
    if (asksLetter) continue;
    for (const one of unseen) onFit(isAbsent ? { ...one, letter: null } : one);
  }
  return asksLetter ? fitting : known.length;
}

async function readLedgers(
  core: Core,
  filter: ParkedFilter,
  wanted: ReadonlySet<string>,
): Promise<readonly FoundParked[]> {
  const own: FoundParked[] = [];
  for (const { runtime: source } of core.sources.values()) {
    for (const { dlqId, view } of await readParked(source)) {
      if (wanted.size > 0 && !wanted.has(dlqId)) continue;
      if (filter.drain !== undefined && view.drain !== filter.drain) continue;
      if (filter.for !== undefined && view.reason !== filter.for) continue;
      const hasDrain = core.drains.get(view.drain)?.config.source.id === source.config.id;
      own.push({ dlqId, view, source, hasDrain });
    }
  }
  return own;
}

function oldestOf(known: readonly FoundParked[], most: number): readonly FoundParked[] {
  const oldest = createOldest<FoundParked>(most);
  known.forEach(oldest.add);
  return oldest.read();
}

export function createOldest<One extends ParkedRecord>(limit: number) {
  let kept: One[] = [];
  const trim = (): void => {
    kept = kept.toSorted(oldestFirst).slice(0, limit);
  };
  return {
    add(one: One): void {
      kept.push(one);
      if (kept.length >= 2 * limit) trim();
    },
    read(): readonly One[] {
      trim();
      return kept;
    },
  };
}

function oldestFirst(one: ParkedRecord, other: ParkedRecord): number {
  return enteredAtOfId(one.dlqId) - enteredAtOfId(other.dlqId);
}
