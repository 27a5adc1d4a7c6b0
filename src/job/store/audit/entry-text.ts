import type {
  AuditAct,
  AuditEntry,
  AuditLane,
  AuditQuery,
  AuditRecord,
  NewAuditEntry,
} from "../../contracts/audit.ts";
import { RedriverError } from "../../contracts/errors.ts";
import type { DrainName, SourceId } from "../../contracts/ids.ts";
import { createHostTable, readHosts, type HostOf, type HostTable } from "./host-table.ts";

/**
 * A stored entry: JSON { v layout, a act, b by, d drain, p passId, h documentHash, w why, l lane, t host of a
 * pause, f forMs, n orderedAt, o hosts, g groups }. Records of one rule, reason, attempt and notes are one group { r rule, e reason, n attempt, x
 * notes, i dlqIds, as, pa parents, k }: of a hundred records only the ids are kept a hundred times. `as` and
 * `pa` have the order of `i`, with "" for none. `k` says which of the hosts each record has
 * (host-table.ts). Absent fields are left out.
 */
interface StoredEntry extends Readonly<Partial<Record<"p" | "h" | "w" | "t", string>>> {
  readonly v: 1;
  readonly a: AuditAct;
  readonly b: string;
  readonly d?: DrainName;
  readonly l?: AuditLane;
  readonly f?: number;
  readonly n?: number;
  readonly o?: readonly string[];
  readonly g?: readonly StoredGroup[];
}

interface StoredGroup {
  readonly r?: string | null | undefined;
  readonly e?: string | undefined;
  readonly n?: number | undefined;
  readonly x?: readonly string[] | undefined;
  readonly i: readonly string[];
  readonly as?: readonly string[] | undefined;
  readonly pa?: readonly string[] | undefined;
  readonly k?: string | undefined;
}

/** A reader asks for 100 entries at once, which are under a megabyte then. */
const recordsPerEntry = 100;
/** A person's reason is a sentence or two. */
const maxWhy = 1_000;

/** Lists of the call that an entry rides along with: a group of just these records has a character for each. */
export interface CallLists {
  readonly dlqId: readonly string[];
  readonly as?: readonly string[];
}

/** No JSON has these characters as they are. The script that writes the entry puts the lists there. */
const listMarks = { dlqId: "\u0001", as: "\u0002", parent: "" } as const;

/** One text, or one per 100 records. */
export function toTexts(entry: NewAuditEntry, lists?: CallLists): readonly string[] {
  const { records } = entry;
  if (records.length <= recordsPerEntry) return [toText(entry, lists)];
  return Array.from({ length: Math.ceil(records.length / recordsPerEntry) }, (_, part) => {
    const start = part * recordsPerEntry;
    return toText({ ...entry, records: records.slice(start, start + recordsPerEntry) });
  });
}

function toText(entry: NewAuditEntry, lists?: CallLists): string {
  const { act, by, drain, passId, documentHash, why, lane, host, forMs, orderedAt, records } = entry;
  const hosts = createHostTable(records);
  // JSON leaves out what is undefined.
  const text = JSON.stringify({
    v: 1,
    a: act,
    b: by,
    d: drain ?? undefined,
    p: passId,
    h: documentHash,
    w: why?.slice(0, maxWhy),
    l: lane,
    t: host,
    f: forMs,
    n: orderedAt,
    o: hosts.hosts,
    g: records.length === 0 ? undefined : toGroups(records).map((group) => toGroup(group, hosts, lists)),
  });
  if (lists === undefined) return text;
  // Inside of a string of JSON the quotes would be escaped.
  return text
    .replace('"i":"\\u0001"', `"i":${listMarks.dlqId}`)
    .replace('"as":"\\u0002"', `"as":${listMarks.as}`);
}

/** A page has few groups, and neighbours are mostly of the same: so they are compared, without a key. */
function toGroups(records: readonly AuditRecord[]): readonly (readonly AuditRecord[])[] {
  const groups: AuditRecord[][] = [];
  let group: AuditRecord[] | undefined;
  for (const record of records) {
    if (group === undefined || !isAlike(group[0]!, record)) {
      group = groups.find(([first]) => isAlike(first!, record));
    }
    if (group === undefined) groups.push((group = [record]));
    else group.push(record);
  }
  return groups;
}

function isAlike(one: AuditRecord, other: AuditRecord): boolean {
  return (
    one.rule === other.rule &&
    one.reason === other.reason &&
    one.attempt === other.attempt &&
    (one.notes === other.notes || one.notes?.join() === other.notes?.join())
  );
}

function toGroup(records: readonly AuditRecord[], hosts: HostTable, lists?: CallLists) {
  const { rule, reason, attempt, notes = [] } = records[0] ?? {};
  return {
    r: rule,
    e: reason,
    n: attempt,
    x: notes.length === 0 ? undefined : notes,
    i: toList(records, "dlqId", lists),
    as: toList(records, "as", lists),
    pa: toList(records, "parent"),
    k: hosts.keysOf(records),
  } satisfies Record<keyof StoredGroup, unknown>;
}

function toList(
  records: readonly AuditRecord[],
  name: "dlqId" | "as" | "parent",
  lists: Partial<Record<typeof name, readonly string[]>> = {},
): readonly string[] | string | undefined {
  const given = lists[name];
  const list: string[] = [];
  let isGiven = given?.length === records.length;
  let isEmpty = true;
  for (const record of records) {
    const value = record[name];
    if (value !== given?.[list.length]) isGiven = false;
    if (value !== undefined) isEmpty = false;
    list.push(value ?? "");
  }
  if (isGiven) return listMarks[name];
  return isEmpty ? undefined : list;
}

/** As `toText` begins each entry: most entries of a long read are left out by their act alone. */
const beginning = /^\{"v":1,"a":"([a-z-]+)"/;

/** Whether an earlier entry of its page has made the reader ask for what the text no longer has. */
export function isCutTooShort(text: string, { skims }: Pick<AuditQuery, "skims">): boolean {
  const [start, act] = beginning.exec(text) ?? [];
  return start === text && skims?.(act as AuditAct) === false;
}

/**
 * Null for an entry whose act or actor is not asked for. Fails with `invariant-broken` on a layout that this
 * version does not know.
 */
export function parseEntryText(
  text: string,
  at: number,
  source: SourceId,
  { acts, by: isBy, skims, isCounted }: Pick<AuditQuery, "acts" | "by" | "skims" | "isCounted">,
): AuditEntry | null {
  const early = beginning.exec(text)?.[1] as AuditAct | undefined;
  if (early !== undefined && acts?.has(early) === false) return null;
  if (early !== undefined && skims?.(early) === true) {
    return { at, act: early, by: "", source, drain: null, records: [] };
  }
  const stored = JSON.parse(text) as Partial<StoredEntry>;
  if (stored.v !== 1 || stored.a === undefined) {
    throw new RedriverError(
      "invariant-broken",
      `expected an audit entry of layout 1, got ${String(stored.v)}: another version of redriver wrote it, read it with that one`,
    );
  }
  const { a: act, b: by = "unknown" } = stored;
  if (acts?.has(act) === false || isBy?.(by) === false) return null;
  const hostOf = readHosts(stored.o);
  return {
    at,
    act,
    by,
    source,
    drain: stored.d ?? null,
    ...(stored.p === undefined ? {} : { passId: stored.p }),
    ...(stored.h === undefined ? {} : { documentHash: stored.h }),
    ...(stored.w === undefined ? {} : { why: stored.w }),
    ...(stored.l === undefined ? {} : { lane: stored.l }),
    ...(stored.t === undefined ? {} : { host: stored.t }),
    ...(stored.f === undefined ? {} : { forMs: stored.f }),
    ...(stored.n === undefined ? {} : { orderedAt: stored.n }),
    records: (stored.g ?? []).flatMap((group) => {
      const records = isCounted === true ? toCounted(group, hostOf) : null;
      return records ?? toRecords(group, hostOf);
    }),
  };
}

/** One record for each host of a group. Null: they differ in more than their ids. */
function toCounted(group: StoredGroup, hostOf: HostOf): readonly AuditRecord[] | null {
  const { i, pa, k } = group;
  if (i.length === 1 || pa !== undefined) return null;
  const counts = new Map<string | undefined, number>();
  if (k === undefined || k.length === 1) counts.set(hostOf(k, 0), i.length);
  else
    for (const index of i.keys()) {
      const host = hostOf(k, index);
      counts.set(host, (counts.get(host) ?? 0) + 1);
    }
  return Array.from(counts, ([host, count]) => {
    const record = toRecord(group, i[0]!);
    if (host !== undefined) record.host = host;
    record.count = count;
    return record;
  });
}

function toRecords(group: StoredGroup, hostOf: HostOf): readonly AuditRecord[] {
  const { i, as, pa, k } = group;
  const ofAll = k === undefined || k.length === 1 ? hostOf(k, 0) : undefined;
  return i.map((dlqId, index) => {
    const record = toRecord(group, dlqId);
    const host = ofAll ?? hostOf(k, index);
    if (as?.[index]) record.as = as[index];
    if (pa?.[index]) record.parent = pa[index];
    if (host !== undefined) record.host = host;
    return record;
  });
}

/** What a group has in common. A page of the history may read half a million of them: spreads take ten times as long. */
function toRecord({ r, e, n, x }: StoredGroup, dlqId: string): Writable<AuditRecord> {
  const record: Writable<AuditRecord> = { dlqId };
  if (r !== undefined) record.rule = r;
  if (e !== undefined) record.reason = e;
  if (n !== undefined) record.attempt = n;
  if (x !== undefined) record.notes = x;
  return record;
}

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };
