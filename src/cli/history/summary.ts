import { toPrintable } from "../../message/show-masked-values.ts";
import type { AuditAct, AuditEntry } from "../../ports/audit.ts";
import type { DrainName } from "../../ports/ids.ts";
import { cutMiddle } from "../output/destination-text.ts";
import { joined, toMinute } from "../output/phrases.ts";
import { fitted, toTable } from "../output/table.ts";

/** Acts counted together: records, or for an act on none how often it was done. Times in Unix ms. */
interface Counted {
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

export interface HistorySummary {
  readonly acts: readonly (Counted & { readonly act: AuditAct; readonly drain: DrainName | null })[];
  readonly people: readonly (Counted & { readonly by: string; readonly act: AuditAct })[];
}

/** Acts on dead letters. One without any did nothing; the others are acts on drains, lanes or failures. */
const ofRecords: ReadonlySet<AuditAct> = new Set([
  "republish",
  "published",
  "drop",
  "park",
  "delete",
  "copy",
  "release",
  "apply",
]);

/** Replicas come and go, and their names with them. Here they are one. */
const daemonPrefix = "daemon ";
const daemon = "daemon";
/** More names than this are counted as one. */
const maxPeople = 1_000;
const others = "(others)";

/** Counts by act and drain, and by actor. Holds a count for each of these and no entry. */
export async function sumHistory(
  entries: AsyncIterable<AuditEntry>,
  onRead: (read: number, at: number) => void,
): Promise<HistorySummary> {
  const acts = new Map<string, HistorySummary["acts"][number]>();
  const people = new Map<string, HistorySummary["people"][number]>();
  const names = new Set<string>();
  let read = 0;
  for await (const { at, act, drain, by, records } of entries) {
    read += 1;
    onRead(read, at);
    if (records.length === 0 && ofRecords.has(act)) continue;
    const name = toName(by, names);
    const count = Math.max(1, records.length);
    const actKey = JSON.stringify([act, drain]);
    const personKey = JSON.stringify([name, act]);
    acts.set(actKey, { act, drain, ...grown(acts.get(actKey), count, at) });
    people.set(personKey, { by: name, act, ...grown(people.get(personKey), count, at) });
  }
  return { acts: [...acts.values()].toSorted(mostFirst), people: [...people.values()].toSorted(mostFirst) };
}

function toName(by: string, names: Set<string>): string {
  const name = by.startsWith(daemonPrefix) ? daemon : by;
  if (names.size >= maxPeople && !names.has(name)) return others;
  names.add(name);
  return name;
}

function grown(known: Counted | undefined, count: number, at: number): Counted {
  if (known === undefined) return { count, first: at, last: at };
  return {
    count: known.count + count,
    first: Math.min(known.first, at),
    last: Math.max(known.last, at),
  };
}

function mostFirst(one: Counted, other: Counted): number {
  return other.count - one.count;
}

/** Times are in UTC, to the minute, so that two fit beside a name. `--json` has them to the millisecond. */
export function toSummaryText(columns: number, { acts, people }: HistorySummary): string {
  const times = {
    count: ({ count }: Counted) => count,
    "first (UTC)": ({ first }: Counted) => toMinute(first),
    "last (UTC)": ({ last }: Counted) => toMinute(last),
  };
  return joined(
    fitted(columns, (max) =>
      toTable(acts, {
        act: ({ act }) => act,
        drain: ({ drain }) => cutMiddle(toPrintable(drain ?? "(all)"), max),
        ...times,
      }),
    ),
    "\n",
    fitted(columns, (max) =>
      toTable(people, {
        by: ({ by }) => cutMiddle(toPrintable(by), max),
        act: ({ act }) => act,
        ...times,
      }),
    ),
  );
}
