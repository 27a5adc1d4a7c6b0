/** Parked dead letters as the ledger alone knows them, for a screen: no call of the service, a few of Redis. */
import { openParkedPages } from "../../compose/open-readers.ts";
import type { Core } from "../../compose/build-core.ts";
import { enteredAtOfId } from "../../message/parse-record.ts";
import type { ParkReason } from "../../message/park-reasons.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { DrainName, SourceId } from "../../ports/ids.ts";
import type { ParkedPlace } from "../../ports/parked-pages.ts";
import type { QueueFacts } from "../../ports/queue-facts.ts";

export interface ParkedRow {
  readonly dlqId: string;
  readonly drain: DrainName;
  /** False: the document has no such drain on this source, so no rules decide it again until a release. */
  readonly hasDrain: boolean;
  readonly reason: ParkReason;
  readonly attempt: number;
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

/**
 * Those first that were listed longest ago. Throws `command-misused` for a source that the document lacks, or a
 * cursor that is none.
 */
export async function readParkedPage(
  core: Pick<Core, "redis" | "sources" | "drains">,
  source: SourceId,
  { after = null, limit }: { readonly after?: string | null; readonly limit: number },
): Promise<ParkedRows> {
  const pages = openParkedPages(core).get(source);
  const retentionMs = core.sources.get(source)?.runtime.config.retentionMs ?? 0;
  if (pages === undefined) throw new RedriverError("command-misused", `no source has the id ${source}`);
  const { entries, total, next } = await pages.page(after === null ? null : toPlace(after), limit);
  const rows = entries.map(({ dlqId, view: { drain, reason, attempt } }) => {
    const enteredAt = enteredAtOfId(dlqId);
    const hasDrain = core.drains.get(drain)?.config.source.id === source;
    return { dlqId, drain, hasDrain, reason, attempt, enteredAt, expiresAt: enteredAt + retentionMs };
  });
  return { rows, total, next: next === null ? null : `${next.keptUntil} ${next.dlqId}` };
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
