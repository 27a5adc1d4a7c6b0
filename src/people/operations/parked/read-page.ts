/** Parked dead letters as the ledger alone knows them, for a screen: no call of the service, a few of Redis. */
import { z } from "zod";
import type { Core } from "../../../job/door.ts";
import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import { parkReasons } from "../../../job/message/park-reasons.ts";
import { misused } from "../../../job/contracts/errors.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { ParkedDeadLetter } from "../../../job/contracts/ledger-entries.ts";
import type { ParkedPlace } from "../../../job/contracts/ledger.ts";
import { drainName, type Frozen } from "../../../job/contracts/plans.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";
import { chooseSource } from "../choose-drains.ts";
import { field } from "../define.ts";
import { failureId, filter, sourceId } from "../fields.ts";
import { count, defineReading, next, time } from "../reading.ts";

const parkedRow = z.object({
  dlqId: z.string(),
  drain: drainName,
  hasDrain: z
    .boolean()
    .describe("False: the document has no such drain on this source, so no rules decide it again."),
  reason: z.enum(parkReasons),
  attempt: count,
  failure: z.string().nullable().describe("Its kind; null: parked by an older version, or not known."),
  enteredAt: time.describe("By its id, Unix ms."),
  expiresAt: time.describe("When it leaves the queue by itself, Unix ms."),
});
type ParkedRow = Frozen<z.infer<typeof parkedRow>>;

export type ParkedRows = Awaited<ReturnType<typeof readParkedPage>>;

/** `failure`: the id of a kind. */
export type ParkedRowFilter = Partial<Readonly<Record<"drain" | "reason" | "failure", string | undefined>>>;

interface ParkedPageRequest {
  readonly after?: string | null;
  readonly limit: number;
  readonly filter?: ParkedRowFilter;
}

const entriesPerRead = 100;
/** 20 reads of Redis. What is rare may need several pages. */
const maxEntries = 2_000;

/** Those first that were listed longest ago. A page with a filter may be empty and have a next one. */
export async function readParkedPage(
  core: Pick<Core, "sources" | "drains">,
  source: SourceId,
  { after = null, limit, filter = {} }: ParkedPageRequest,
) {
  const runtime = core.sources.get(source)?.runtime;
  if (runtime === undefined) throw misused(`no source has the id ${source}`);
  const { retentionMs } = runtime.config;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const wanted = isFiltered ? entriesPerRead : limit;
  const rows: ParkedRow[] = [];
  let place = after === null ? null : toPlace(after);
  let read = 0;
  while (true) {
    const page = await runtime.ledger.parked(place, wanted);
    for (const [index, entry] of page.entries.entries()) {
      if (!fits(entry.view, filter)) continue;
      rows.push(toRow(entry));
      if (rows.length < limit) continue;
      const isLast = index === page.entries.length - 1;
      return toRows(page.total, isLast ? page.next : entry);
    }
    place = page.next;
    read += wanted;
    if (place === null || !isFiltered || read >= maxEntries) return toRows(page.total, place);
  }

  function toRow({ dlqId, view }: ParkedDeadLetter): ParkedRow {
    const { drain, reason, attempt, failure = null } = view;
    const enteredAt = enteredAtOfId(dlqId);
    const hasDrain = core.drains.get(drain)?.config.source.id === source;
    const expiresAt = enteredAt + retentionMs;
    return { dlqId, drain, hasDrain, reason, attempt, failure, enteredAt, expiresAt };
  }

  /** `total`: of the source, also on other pages. `next`: for `after`; null: there is no more. */
  function toRows(total: number, next: ParkedPlace | null) {
    return { rows, total, next: next === null ? null : `${next.keptUntil} ${next.dlqId}` };
  }
}

function fits(view: ParkedDeadLetter["view"], filter: ParkedRowFilter): boolean {
  const names = ["drain", "reason", "failure"] as const;
  return names.every((name) => filter[name] === undefined || view[name] === filter[name]);
}

function toPlace(after: string): ParkedPlace {
  const [, keptUntil, dlqId = ""] = /^(\d{1,15}) (\S{1,200})$/.exec(after) ?? [];
  if (keptUntil === undefined) throw misused("the cursor is none of this list");
  return { keptUntil: Number(keptUntil), dlqId };
}

export type ParkedSum = ReturnType<typeof toParkedSums>[number];

/** By drain and reason, most first: reasons of the last passes, fitted to the live counts. */
export function toParkedSums({ drains }: Pick<QueueFacts, "drains">) {
  return drains
    .flatMap(({ drain, source, facts }) =>
      Object.entries(facts?.reasons.parked ?? {}).map(([reason, count]) => ({
        drain,
        source,
        reason,
        count,
      })),
    )
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count);
}

export const parkedReading = defineReading({
  path: "/parked",
  summary:
    "What is parked in a source, those first that were listed longest ago. A page may be empty and have a next one",
  needs: "rules",
  input: z.strictObject({
    source: sourceId,
    drain: filter("Only what this drain parked.", "name"),
    reason: field(z.enum(parkReasons).optional(), { about: "Of parking.", value: "reason" }),
    failure: field(failureId.optional(), { about: "The id of a kind of failure.", value: "id" }),
  }),
  isPaged: true,
  answer: z.object({
    source: z.string(),
    parked: z.array(parkedRow),
    total: count.describe("Of the source, also on other pages."),
    next,
  }),
  async run({ core, input: { source: named, ...filter }, page: { limit, after = null } }) {
    const source = chooseSource(core, named);
    const { rows, ...rest } = await readParkedPage(core, source, { after, limit, filter });
    return { source, parked: rows, ...rest };
  },
});
