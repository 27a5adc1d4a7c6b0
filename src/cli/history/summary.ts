import { toPrintable } from "../../message/show-masked-values.ts";
import type { AuditAct, AuditEntry } from "../../ports/audit.ts";
import type { DrainName } from "../../ports/ids.ts";
import { joined } from "../output/phrases.ts";
import { toTable } from "../output/table.ts";

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

export function toSummaryText({ acts, people }: HistorySummary): string {
  const times = {
    count: ({ count }: Counted) => count,
    first: ({ first }: Counted) => new Date(first).toISOString(),
    last: ({ last }: Counted) => new Date(last).toISOString(),
  };
  return joined(
    toTable(acts, {
      act: ({ act }) => act,
      drain: ({ drain }) => toPrintable(drain ?? "-"),
      ...times,
    }),
    "\n",
    toTable(people, { by: ({ by }) => toPrintable(by), act: ({ act }) => act, ...times }),
  );
}
