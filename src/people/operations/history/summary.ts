import type { AuditAct, AuditEntry } from "../../../job/contracts/audit.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";

/** Acts counted together: records, or how often it was done if it is not about records. Times in Unix ms. */
interface CountedActs {
  readonly count: number;
  /** Of an apply: records that it was about to act on. What it did is in the acts that follow. */
  readonly ordered?: number;
  readonly first: number;
  readonly last: number;
}

/** Acts on dead letters. One without any counts none, and is named; the others are acts on drains, lanes or failures. An apply only orders. */
const ofRecords = new Set<AuditAct>(["republish", "published", "drop", "park", "delete", "copy", "release"]);

/** Replicas come and go, and their names with them. Here they are one. */
const daemonPrefix = "daemon ";
const daemon = "daemon";
const maxPeople = 1_000;
const others = "(others)";

/** Counts by act and drain, and by actor. Holds a count for each of these and no entry. */
export async function sumHistory(
  entries: AsyncIterable<AuditEntry>,
  onRead: (read: number, at: number) => void,
) {
  const acts = new Map<string, CountedActs & { readonly act: AuditAct; readonly drain: DrainName | null }>();
  const people = new Map<string, CountedActs & { readonly by: string; readonly act: AuditAct }>();
  const names = new Set<string>();
  let read = 0;
  for await (const { at, act, drain, by, records } of entries) {
    read += 1;
    onRead(read, at);
    const name = toName(by, names);
    const isOrder = act === "apply";
    const ordered = isOrder ? records.length : 0;
    const count = isOrder ? 0 : ofRecords.has(act) ? records.length : Math.max(1, records.length);
    const actKey = JSON.stringify([act, drain]);
    const personKey = JSON.stringify([name, act]);
    acts.set(actKey, { act, drain, ...grown(acts.get(actKey), { count, ordered, at }) });
    people.set(personKey, { by: name, act, ...grown(people.get(personKey), { count, ordered, at }) });
  }
  return { acts: [...acts.values()].toSorted(mostFirst), people: [...people.values()].toSorted(mostFirst) };
}

function toName(by: string, names: Set<string>): string {
  const name = by.startsWith(daemonPrefix) ? daemon : by;
  if (names.size >= maxPeople && !names.has(name)) return others;
  names.add(name);
  return name;
}

function grown(
  known: CountedActs | undefined,
  { count, ordered, at }: Readonly<Record<"count" | "ordered" | "at", number>>,
): CountedActs {
  const orders = (known?.ordered ?? 0) + ordered;
  return {
    count: (known?.count ?? 0) + count,
    ...(orders > 0 && { ordered: orders }),
    first: Math.min(known?.first ?? at, at),
    last: Math.max(known?.last ?? at, at),
  };
}

const mostFirst = (one: CountedActs, other: CountedActs): number => other.count - one.count;
