/** A page of what was done, for a screen. It reads a bounded number of entries, whatever the filters leave. */
import { z } from "zod";
import {
  auditActs,
  type AuditAct,
  type AuditEntry,
  type AuditReader,
  isAboutDrain,
} from "../../../job/contracts/audit.ts";
import { misused } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { openAuditReader } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import { compileGlob } from "../../../job/rules/patterns/glob.ts";
import { field } from "../define.ts";
import { filter, spanFields } from "../fields.ts";
import { joined } from "../phrases.ts";
import { count, counts, defineReading, next, open, time } from "../reading.ts";
import { toActRows, type ActRow } from "./act-rows.ts";
import { readCutNote } from "./cut-note.ts";
import { selectRecords } from "./select-records.ts";

const input = z.strictObject({
  drain: filter("Only in this drain.", "name"),
  act: field(
    z
      .string()
      .transform((names) => names.split(","))
      .pipe(z.array(z.enum(auditActs)))
      .optional(),
    { about: "One act, or several with commas.", value: "act" },
  ),
  by: filter("A person or daemon; * stands for any part.", "name"),
  rule: filter("Only what this rule decided.", "name"),
  ...spanFields,
});

export interface HistoryPageRequest extends Readonly<z.output<typeof input>> {
  /** `next` of the page before; null: from `to`, or from now. */
  readonly before?: string | null;
  /** A page may have some rows more, because acts of one minute are counted together. */
  readonly maxRows: number;
  /** Of the audit, also those that the filters leave out. */
  readonly maxEntries: number;
  /** Of those entries; the entry that passes it is still read. */
  readonly maxRecords?: number;
}

export type HistoryPage = Awaited<ReturnType<typeof readHistoryPage>>;

/** An empty history would say that nothing was done. */
export function requireSpan(from: number | undefined, to: number | undefined): void {
  if ((from ?? 0) > (to ?? Infinity)) throw misused("the span ends before it begins");
}

/**
 * Rows newest first. An act that is cut by the end of the page goes on as a row of the next, and a page may be without
 * rows and have a next one. `missing`: what the filters left out because the audit lacks its host or rule, and
 * after the last page that the audit was cut; else empty. Throws `command-misused` for a cursor that is none, and
 * `redis-unavailable`.
 */
export async function readHistoryPage(
  reader: AuditReader,
  { before = null, maxRows, maxEntries, maxRecords = Infinity, ...wanted }: HistoryPageRequest,
) {
  requireSpan(wanted.from, wanted.to);
  const start = before === null ? null : toPlace(before);
  const rows: ActRow[] = [];
  /** Null: the audit has nothing older. */
  let next: string | null = null;
  /** Unix ms: how far back was read; null: there was nothing. */
  let readTo: number | null = null;
  const fits = toTest(wanted);

  async function* entries(): AsyncGenerator<AuditEntry> {
    let toSkip = start?.read ?? 0;
    let [read, readOfMs, records] = [0, 0, 0];
    const { act: acts, from: since, to } = wanted;
    const skims = acts && ((act: AuditAct) => !acts.includes(act));
    const query = {
      order: "newest-first",
      isCounted: true,
      ...defined({ since, until: start?.at ?? to, skims }),
    } as const;
    for await (const entry of reader.read(query)) {
      if (entry.at !== readTo) readOfMs = 0;
      readOfMs += 1;
      if (entry.at === start?.at && toSkip > 0) {
        toSkip -= 1;
        readTo = entry.at;
        continue;
      }
      if (read === maxEntries || records >= maxRecords || rows.length >= maxRows) {
        next = `${readTo ?? entry.at}-${lastRead}`;
        return;
      }
      read += 1;
      for (const { count = 1 } of entry.records) records += count;
      readTo = entry.at;
      lastRead = readOfMs;
      if (fits(entry)) yield entry;
    }
  }
  let lastRead = start?.read ?? 0;

  const selected = selectRecords(entries(), wanted);
  for await (const row of toActRows(selected.entries)) rows.push(row);
  const missing = joined(selected.missing(), next === null && (await readCutNote(reader, wanted.from)));
  return { rows, next, readTo, missing };
}

/** Entries are only added at the newer end, so that a place stays one: a time, and how many of it were read. */
function toPlace(before: string): Readonly<Record<"at" | "read", number>> {
  const [, at, read] = /^(\d{1,15})-(\d{1,9})$/.exec(before) ?? [];
  if (at === undefined) throw misused("the cursor is none of the history");
  return { at: Number(at), read: Number(read) };
}

function toTest({ drain, act: acts, by }: z.output<typeof input>): (entry: AuditEntry) => boolean {
  const isBy = by === undefined ? () => true : compileGlob(by);
  return (entry) =>
    acts?.includes(entry.act) !== false &&
    (drain === undefined || isAboutDrain(entry, drain as DrainName)) &&
    isBy(entry.by);
}

const maxEntries = 2_000;

export const historyReading = defineReading({
  path: "/history",
  summary:
    "What was done, newest first; many dead letters in one row. A page may be empty and have a next one",
  needs: "names",
  input,
  isPaged: true,
  answer: z.object({
    acts: z.array(
      z.object({
        at: time.describe("Of an apply its end: it stands where it was ordered."),
        since: time,
        act: z.enum(auditActs),
        source: z.string(),
        drain: z.string().nullable(),
        by: z.string(),
        why: z.string().optional(),
        count: count.describe("0 for an apply: the acts that follow count what was done."),
        ordered: count.optional().describe("Of an apply."),
        rule: z.string().nullable().optional(),
        reason: z.string().optional(),
        dlqId: z.string().optional(),
        host: z.string().optional(),
        forMs: z.number().optional(),
        lane: open.optional(),
        hosts: open,
        notes: counts,
        comeBacks: count,
      }),
    ),
    readTo: time.nullable().describe("How far back was read; null: there was nothing."),
    missing: z
      .string()
      .describe(
        "What filters left out as the audit lacks its host or rule, and where it was cut for its size; else empty.",
      ),
    next,
  }),
  async run({ core, input: asked, page: { limit: maxRows, after: before = null } }) {
    const request = { ...asked, before, maxRows, maxEntries };
    const { rows, missing, ...rest } = await readHistoryPage(await openAuditReader(core), request);
    return { acts: rows, missing: missing.trim(), ...rest };
  },
});
