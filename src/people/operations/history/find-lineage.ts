/**
 * Which dead letters belong to the history of an id. The audit knows where a dead letter came from once it
 * was acted on. Before that only the record in the queue knows, by its signed lineage. So if the audit does
 * not have the origin of a dead letter, the queues are listed for it.
 */
import { readLineage, type LineageReading } from "../../../job/message/lineage.ts";
import { parseRecord, toEnteredAt } from "../../../job/message/parse-record.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import type { AuditAct, AuditReader } from "../../../job/contracts/audit.ts";
import { isRedriverError } from "../../../job/contracts/errors.ts";
import { type SourceRuntime, findRecord, findNear } from "../../../job/door.ts";
import { cameBackText } from "../phrases.ts";

interface LineageSearch {
  readonly reader: AuditReader;
  readonly sources: readonly (Pick<SourceRuntime, "config" | "service" | "memory" | "lineageKeys"> & {
    readonly book: Pick<SourceRuntime["book"], "datesMean">;
  })[];
  readonly signal: AbortSignal;
  readonly progress: { show(text: string): void; end(): void };
}

/**
 * The ids that this one came back from, its own, and those that came back from it. The notes are what rows
 * alone do not show, also that a queue cannot be asked. Fails with `redis-unavailable`.
 */
export async function findLineage(dlqId: string, parts: LineageSearch) {
  const { reader, sources } = parts;
  const notes: string[] = [];
  const known = await reader.lineageOf(dlqId);
  const acts = await actsOn(reader, dlqId);
  const isNew = acts.size === 0 && known.size === 1;
  // These acts are written with the dead letter that it came back from, if there is one.
  const hasOrigin = acts.has("republish") || acts.has("park") || acts.has("drop");
  // Without a time in its id only the whole queue can show it, and only if nothing else is known.
  if (hasOrigin || (toEnteredAt(dlqId) === null && !isNew)) {
    return { dlqIds: known, isListed: false, notes };
  }
  const dlqIds = new Set(known);
  let isListed = false;
  for (const source of sources) {
    const name = source.config.name;
    try {
      const raw = await look(dlqId as DlqId, source, isNew, parts);
      if (raw === null) continue;
      isListed = true;
      const reading = readingOf(raw, source.lineageKeys());
      if (reading?.kind === "come-back") {
        for (const id of await reader.lineageOf(reading.lineage.parentDlqId)) dlqIds.add(id);
      }
      notes.push(
        `${dlqId} is in the queue of ${name}: ${toOrigin(reading)}${acts.size > 0 ? "" : untouchedText(dlqId, reading)}`,
      );
    } catch (error) {
      if (!isRedriverError(error) && !parts.signal.aborted) throw error;
      const why = isRedriverError(error) ? `${error.code}: ${error.message}` : "stopped";
      notes.push(`the queue of ${name} was not listed (${why}); what ${dlqId} came back from may be missing`);
    } finally {
      parts.progress.end();
    }
  }
  if (!isListed && isNew) {
    // The id of a message that failed first is kept nowhere.
    const by = toEnteredAt(dlqId) === null ? ", by dlqId or the id of a redriven message" : "";
    notes.push(`nothing is known of ${dlqId}; the audit keeps at most 30 days${by}`);
  }
  return { dlqIds, isListed, notes };
}

/** Its decision is made anew whenever it is listed, so no row has why it is held. */
function untouchedText(dlqId: string, reading: LineageReading | null): string {
  const hint = reading === null ? "" : `; rules explain ${dlqId} tells why it waits`;
  return `, and nothing was done to it since${hint}`;
}

async function actsOn(reader: AuditReader, dlqId: string): Promise<ReadonlySet<AuditAct>> {
  const acts = new Set<AuditAct>();
  for await (const { act, records } of reader.read({ dlqIds: new Set([dlqId]), order: "oldest-first" })) {
    if (records.some((record) => record.dlqId === dlqId)) acts.add(act);
  }
  return acts;
}

/** `whole`: if the time of the id does not prove it, the whole queue is listed. */
async function look(
  dlqId: DlqId,
  source: LineageSearch["sources"][number],
  whole: boolean,
  { signal, progress }: LineageSearch,
): Promise<RawRecord | null> {
  const quiet = { source, select: {}, signal, onPage: () => undefined };
  if (!whole || (await source.book.datesMean()) === "entered") return findNear(dlqId, quiet);
  return findRecord(dlqId, { ...quiet, onPage: (listed) => progress.show(`${listed} listed`) });
}

function readingOf(raw: RawRecord, keys: readonly string[]): LineageReading | null {
  const parsed = parseRecord(raw);
  return parsed.kind === "letter" ? readLineage(parsed.letter, keys) : null;
}

function toOrigin(reading: LineageReading | null): string {
  switch (reading?.kind) {
    case undefined:
      return "its record cannot be read, so what it came back from is not known";
    case "come-back":
      return cameBackText(reading.lineage);
    case "untrusted":
      return "its lineage is not signed by this source, so what it came back from is not known";
    case "none":
    case "inherited":
      return "it came back from nothing";
  }
}
