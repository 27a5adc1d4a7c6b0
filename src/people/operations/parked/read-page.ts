/** Parked dead letters as the ledger alone knows them, for a screen: no call of the service, a few of Redis. */
import type { Core } from "../../../job/door.ts";
import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../../job/contracts/ids.ts";
import type { ParkedDeadLetter } from "../../../job/contracts/ledger-entries.ts";
import type { ParkedPlace } from "../../../job/contracts/ledger.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";

export interface ParkedRow {
  readonly dlqId: string;
  readonly drain: DrainName;
  /** False: the document has no such drain on this source, so no rules decide it again until a release. */
  readonly hasDrain: boolean;
  readonly reason: ParkReason;
  readonly attempt: number;
  /** The id of its kind of failure; null: not known, or parked by an older build. */
  readonly failure: string | null;
  /** By its id, Unix ms. */
  readonly enteredAt: number;
  /** When it leaves the queue by itself, Unix ms. */
  readonly expiresAt: number;
}

export interface ParkedRows {
  readonly rows: readonly ParkedRow[];
  /** Of the source, also on other pages. */
  readonly total: number;
  /** For `after`; null: there is no more. */
  readonly next: string | null;
}

export interface ParkedRowFilter {
  readonly drain?: string | undefined;
  readonly reason?: string | undefined;
  /** The id of a kind of failure. */
  readonly failure?: string | undefined;
}

interface ParkedPageRequest {
  readonly after?: string | null;
  readonly limit: number;
  readonly filter?: ParkedRowFilter;
}

const entriesPerRead = 100;
/** 20 reads of Redis. What is rare may need several pages. */
const maxEntries = 2_000;

/**
 * Those first that were listed longest ago. It reads a bounded number of entries, so a page with a filter may be
 * empty and have a next one. Throws `command-misused` for a source that the document lacks, or a cursor that is
 * none.
 */
export async function readParkedPage(
  core: Pick<Core, "sources" | "drains">,
  source: SourceId,
  { after = null, limit, filter = {} }: ParkedPageRequest,
): Promise<ParkedRows> {
  const runtime = core.sources.get(source)?.runtime;
  if (runtime === undefined) throw new RedriverError("command-misused", `no source has the id ${source}`);
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
    return {
      dlqId,
      drain,
      hasDrain,
      reason,
      attempt,
      failure,
      enteredAt,
      expiresAt: enteredAt + retentionMs,
    };
  }

  function toRows(total: number, next: ParkedPlace | null): ParkedRows {
    return { rows, total, next: next === null ? null : `${next.keptUntil} ${next.dlqId}` };
  }
}

function fits(view: ParkedDeadLetter["view"], { drain, reason, failure }: ParkedRowFilter): boolean {
  return (
    (drain === undefined || view.drain === drain) &&
    (reason === undefined || view.reason === reason) &&
    (failure === undefined || view.failure === failure)
  );
}

function toPlace(after: string): ParkedPlace {
  const [, keptUntil, dlqId = ""] = /^(\d{1,15}) (\S{1,200})$/.exec(after) ?? [];
  if (keptUntil === undefined) throw new RedriverError("command-misused", "the cursor is none of this list");
  return { keptUntil: Number(keptUntil), dlqId };
}

export interface ParkedSum {
  readonly drain: DrainName;
  readonly source: SourceId;
  readonly reason: string;
  readonly count: number;
}

/**
 * By drain and reason, most first, as the passes have counted them: without a drain that the document lacks. The
 * reasons are those of the last passes, fitted to the live counts.
 */
export function toParkedSums({ drains }: Pick<QueueFacts, "drains">): readonly ParkedSum[] {
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
