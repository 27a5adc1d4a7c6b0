/**
 * What the archive alone has of a drain, for a plan to publish it again.
 *
 *   archive ─► dropped, discarded, or copied and expired since ─► in pages, each once
 *   audit ───► published since it was written? the ledger forgets that long before the archive does
 */
import { type Core, type DrainRuntime, openArchiveReader, openAuditReader } from "../../job/door.ts";
import type { ArchiveDamage, ArchivedLetters, ArchiveEntry } from "../../job/contracts/archive.ts";
import type { AuditAct } from "../../job/contracts/audit.ts";
import { serviceNow } from "../../job/contracts/service.ts";
import { createDrainSelects } from "../../job/door-pure.ts";
import type { DlqId, RawRecord } from "../../job/message/dead-letter.ts";
import { toEnteredAt } from "../../job/message/parse-record.ts";

const recordsPerPage = 100;
/** Characters of text bodies that a page has at most, but for its last record. */
const charactersPerPage = 4 * 1_048_576;
/** Clocks of machines and of Redis differ by less than this. */
const clockSlackMs = 3_600_000;

const acts: ReadonlySet<AuditAct> = new Set(["published", "copy"]);

/** It was deleted once it was written, by a rule or by a person. */
const isTaken = ({ why }: ArchiveEntry): boolean => why !== "near-expiry";

/** What these have met of their archive, each once. */
export function damagesOf(drains: Iterable<Pick<DrainRuntime, "fromArchive">>): readonly ArchiveDamage[] {
  const all = [...drains].flatMap(({ fromArchive }) => fromArchive?.damages() ?? []);
  return [...new Map(all.map((damage) => [JSON.stringify(damage), damage])).values()];
}

/** Of a document with an archive. The audit is read once, before the first page. */
export function openArchivedLetters(
  core: Core,
  { config, source }: DrainRuntime,
  { dir, keepMs }: NonNullable<Core["document"]["archive"]>,
): ArchivedLetters {
  const id = source.config.id;
  let asked: ReadonlySet<string> = new Set();
  let published: ReadonlySet<string> = new Set();
  let unproven: ReadonlySet<string> = new Set();
  const damages: ArchiveDamage[] = [];

  async function* entries(onDamage: (damage: ArchiveDamage) => void): AsyncGenerator<ArchiveEntry> {
    const reader = await openArchiveReader(dir);
    const now = serviceNow(source);
    const selects = createDrainSelects(
      config,
      config.dates === undefined ? null : await source.book.datesMean(),
    );
    for await (const entry of reader.entries({ source: id }, onDamage)) {
      if (entry.isDoubtful === true) continue;
      // The census copies what any drain selects, or none, and names no drain.
      const isOurs = entry.drain === null ? selects(entry.record, entry.at) : entry.drain === config.name;
      if (!isOurs) continue;
      // Until then the queue has what was only copied.
      const isExpired = (toEnteredAt(entry.dlqId) ?? Infinity) + source.config.retentionMs <= now;
      if (isTaken(entry) || isExpired) yield entry;
    }
  }

  const readAudit = async (): Promise<void> => {
    const dropped = new Set<string>();
    const copied = new Set<string>();
    let since = Infinity;
    for await (const entry of entries((damage) => damages.push(damage))) {
      (isTaken(entry) ? dropped : copied).add(entry.dlqId);
      // An earlier entry of it may be in what is damaged.
      since = Math.min(since, toEnteredAt(entry.dlqId) ?? 0, entry.at);
    }
    const sent = new Set<string>();
    const known = new Set<string>();
    if (Number.isFinite(since)) {
      const reader = await openAuditReader(core);
      for await (const entry of reader.read({ acts, since: since - clockSlackMs, order: "oldest-first" })) {
        if (entry.source !== id) continue;
        const found = entry.act === "copy" ? known : sent;
        for (const { dlqId } of entry.records) if (dropped.has(dlqId) || copied.has(dlqId)) found.add(dlqId);
      }
    }
    asked = new Set([...dropped, ...copied]);
    published = sent;
    // The audit has each copy. If one is missing there, so may be what came after it.
    unproven = new Set([...copied].filter((dlqId) => !dropped.has(dlqId) && !known.has(dlqId)));
  };
  let reading: Promise<void> | null = null;

  return {
    keptForMs: keepMs,
    async *pages() {
      await (reading ??= readAudit());
      // Each once, and none of which the audit was not asked: a file may have been mended since.
      const left = new Set(asked);
      let records: RawRecord[] = [];
      let characters = 0;
      for await (const { dlqId, record } of entries(() => undefined)) {
        if (!left.delete(dlqId)) continue;
        if (records.length === recordsPerPage || characters > charactersPerPage) {
          yield { records, isLast: false };
          records = [];
          characters = 0;
        }
        records.push(record);
        characters += typeof record["body"] === "string" ? record["body"].length : 0;
      }
      yield { records, isLast: true };
    },
    damages: () => damages,
    wasPublished(dlqId: DlqId) {
      if (published.has(dlqId)) return "yes";
      return unproven.has(dlqId) ? "unknown" : "no";
    },
  };
}
