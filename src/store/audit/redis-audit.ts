import type { Audit, AuditEntry, AuditQuery, AuditReader, NewAuditEntry } from "../../ports/audit.ts";
import type { SourceId } from "../../ports/ids.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { defineScript } from "../../redis/script-runner.ts";
import { parseEntryText, toTexts } from "./entry-text.ts";
import { createAuditOver } from "./unwritten-entries.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import { earliestActAt, traceLineage } from "./trace-lineage.ts";
import type { StoreRedis } from "../connection-needs.ts";

export interface AuditLimits {
  readonly keepMs: number;
  /** Of all texts together; Redis uses a few percent more. */
  readonly maxBytes: number;
}

/**
 * A redriven message costs about 115 bytes in its three acts, so 256 MiB are 75,000 messages a day for 30
 * days. The limit is there because Redis must never evict.
 */
export const auditLimits: AuditLimits = { keepMs: 30 * 86_400_000, maxBytes: 256 * 1024 * 1024 };

/**
 * append: adds entries to a source's stream, under ids of Redis's own time.
 *
 * KEYS: 1 the stream; its entries have the fields e text, c bytes of all texts that were ever written before
 * it.
 * ARGV: 1 how long entries are kept, ms; 2 bytes that are kept; then texts.
 * Returns: nothing. Effects: older entries are trimmed by whole nodes of the stream. While the texts are
 * larger than ARGV[2], at least twice as many of the oldest go as are added. The stream vanishes after
 * ARGV[1] without a write.
 * Run twice: the entries are there twice.
 */
const appendScript = defineScript(
  "audit:append",
  `
${serverTimeLua}
local stream, keep, maxBytes = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest = string.format('%.0f', math.max(0, now - keep))

local function field(entry, name)
  for i = 1, #entry[2], 2 do
    if entry[2][i] == name then return entry[2][i + 1] end
  end
end

local total = 0
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
if last then total = tonumber(field(last, 'c')) + #field(last, 'e') end
for i = 3, #ARGV do
  redis.call('XADD', stream, 'MINID', '~', oldest, '*', 'e', ARGV[i], 'c', string.format('%.0f', total))
  total = total + #ARGV[i]
end
local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
if total - tonumber(field(first, 'c')) > maxBytes then
  redis.call('XTRIM', stream, 'MAXLEN', '~', math.max(1, redis.call('XLEN', stream) - 100 - 2 * (#ARGV - 2)))
end
redis.call('PEXPIRE', stream, keep)
return false
`,
);

/** Of one script call: a few hundred kilobytes. */
const textsPerCall = 50;
const entriesPerPage = 100;

/** The record of one source: a stream in Redis, shared by all replicas. */
export function createRedisAudit(
  redis: StoreRedis,
  source: SourceId,
  { keepMs, maxBytes }: AuditLimits,
  observe?: (entry: NewAuditEntry) => void,
): Audit & AuditReader {
  const stream = sourceKey(redis.keyPrefix, source, "audit");

  const audit = createAuditOver(async (entries) => {
    const texts = entries.flatMap(toTexts);
    for (let start = 0; start < texts.length; start += textsPerCall) {
      const some = texts.slice(start, start + textsPerCall);
      await redis.run(appendScript, [stream], [keepMs, maxBytes, ...some]);
    }
  }, observe);

  async function* read(query: AuditQuery): AsyncGenerator<AuditEntry> {
    const { dlqIds, until, order } = query;
    const since = Math.max(query.since ?? 0, dlqIds === undefined ? 0 : earliestActAt(dlqIds));
    const forwards = order === "oldest-first";
    let from = since > 0 ? String(Math.floor(since)) : "-";
    let to = until === undefined ? "+" : String(Math.max(0, Math.floor(until)));
    for (;;) {
      const range = forwards ? ["XRANGE", from, to] : ["XREVRANGE", to, from];
      const [name = "", one = "", other = ""] = range;
      const reply = await redis.command(name, stream, one, other, "COUNT", entriesPerPage);
      const page = reply as readonly StreamEntry[];
      for (const [id, fields] of page) {
        const text = fields[fields.indexOf("e") + 1] ?? "";
        if (dlqIds !== undefined && !mentionsAny(text, dlqIds)) continue;
        const at = Number(id.slice(0, id.indexOf("-")));
        const entry = selectRecords(parseEntryText(text, at, source), query);
        if (entry !== null) yield entry;
      }
      const last = page.at(-1)?.[0];
      if (last === undefined || page.length < entriesPerPage) return;
      if (forwards) from = `(${last}`;
      else to = `(${last}`;
    }
  }

  return { ...audit, read, lineageOf: (dlqId) => traceLineage(read, dlqId) };
}

type StreamEntry = readonly [id: string, fields: readonly string[]];

/** A cheap check before parsing: most texts are about other dead letters. */
function mentionsAny(text: string, dlqIds: ReadonlySet<string>): boolean {
  for (const dlqId of dlqIds) if (text.includes(dlqId)) return true;
  return false;
}

/** The entry with only the records that the query asks for, or null if none is left. Ignores times. */
function selectRecords(entry: AuditEntry, { dlqIds, drain }: AuditQuery): AuditEntry | null {
  if (drain !== undefined && entry.drain !== drain && !concernsAllDrains(entry)) return null;
  if (dlqIds === undefined) return entry;
  const records = entry.records.filter(
    ({ dlqId, parent }) => dlqIds.has(dlqId) || (parent !== undefined && dlqIds.has(parent)),
  );
  return records.length === 0 ? null : { ...entry, records };
}

function concernsAllDrains({ act, drain }: AuditEntry): boolean {
  return drain === null && (act === "pause" || act === "resume");
}
