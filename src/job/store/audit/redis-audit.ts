import {
  auditActs,
  auditKeptMs,
  isAboutDrain,
  type Audit,
  type AuditAct,
  type AuditEntry,
  type AuditQuery,
  type AuditReader,
  type NewAuditEntry,
  type ObserveAudit,
} from "../../contracts/audit.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { isCutTooShort, parseEntryText, toTexts, type CallLists } from "./entry-text.ts";
import { appendAuditLua } from "./append.lua.ts";
import { createAuditOver } from "./unwritten-entries.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import { earliestActAt, traceLineage } from "./trace-lineage.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";

export type AuditLimits = Readonly<Record<"keepMs" | "maxBytes", number>>;

/**
 * A redriven message costs about 120 bytes in its three acts, so 256 MiB (of all texts; Redis uses a few percent more)
 * are 75,000 messages a day for 30 days. The limit is there because Redis must never evict.
 */
export const auditLimits: AuditLimits = { keepMs: auditKeptMs, maxBytes: 256 * 1024 * 1024 };

/** KEYS: 1 the stream. ARGV: 1 "yes": also when maxmemory is reached, then as appendAudit takes them. Returns: nothing. */
const appendScript = luaScript("audit:append")`
${serverTimeLua}
${appendAuditLua}
-- Redis refuses only a script's first write, and lets one pass that needs no memory.
if ARGV[1] == 'yes' then redis.call('XDEL', KEYS[1], '0-1') end
appendAudit(KEYS[1], 2, {})
`;

/** A person must be able to stop all while Redis is full. */
const actsWhenFull: ReadonlySet<AuditAct> = new Set(["pause", "resume"]);

/**
 * A page of entries, those of some acts without what follows their act: a text may name 100 dead letters.
 *
 * KEYS: 1 the stream. ARGV: 1 XRANGE or XREVRANGE, 2 and 3 its range, 4 most entries, then the acts to cut.
 * Returns: array of id, text and so on. Effects: none.
 */
const skimScript = luaScript("audit:skim")`
local cut, answer = {}, {}
for i = 5, #ARGV do cut[ARGV[i]] = true end
for _, entry in ipairs(redis.call(ARGV[1], KEYS[1], ARGV[2], ARGV[3], 'COUNT', ARGV[4])) do
  local text = entry[2][2]
  local start, act = string.match(text, '^({"v":1,"a":"([a-z-]+)")')
  answer[#answer + 1] = entry[1]
  answer[#answer + 1] = cut[act] and start or text
end
return answer
`;

/** Of one script call: a few hundred kilobytes. */
const textsPerCall = 50;
const entriesPerPage = 100;

/** Entries that a script of another store writes in the step of its own change. */
export interface RidingAudit {
  /**
   * The stream, which shares the slot of the source's other keys, and what `appendAudit` takes (append.lua.ts).
   * Null while earlier entries wait to be written: they go first. What the script has in `lists` is not named again.
   */
  toAppend(
    entries: readonly NewAuditEntry[],
    lists: CallLists,
  ): { readonly stream: string; readonly args: readonly (string | number)[] } | null;
  /** Called once the script has written them. */
  written(entries: readonly NewAuditEntry[]): void;
}

/** The record of one source: a stream in Redis, shared by all replicas. */
export function createRedisAudit(
  redis: StoreRedis,
  source: SourceId,
  { keepMs, maxBytes }: AuditLimits,
  observe?: ObserveAudit,
): Audit & AuditReader & { readonly riding: RidingAudit } {
  const stream = sourceKey(redis.keyPrefix, source, "audit");

  const { hasUnwritten, written, ...audit } = createAuditOver(async (entries) => {
    const texts = entries.flatMap((entry) => toTexts(entry));
    const whenFull = entries.some(({ act }) => actsWhenFull.has(act)) ? "yes" : "no";
    for (let start = 0; start < texts.length; start += textsPerCall) {
      const some = texts.slice(start, start + textsPerCall);
      await redis.run(appendScript, [stream], [whenFull, keepMs, maxBytes, ...some]);
    }
  }, observe);

  async function* read(query: AuditQuery): AsyncGenerator<AuditEntry> {
    const { dlqIds, until, order, skims } = query;
    const since = Math.max(query.since ?? 0, dlqIds === undefined ? 0 : earliestActAt(dlqIds));
    const forwards = order === "oldest-first";
    let from = since > 0 ? String(Math.floor(since)) : "-";
    let to = until === undefined ? "+" : String(Math.max(0, Math.floor(until)));
    for (;;) {
      const range = forwards ? ["XRANGE", from, to] : ["XREVRANGE", to, from];
      const page = await readEntries([...range, String(entriesPerPage)], skims);
      let next = page.length < entriesPerPage ? null : `(${page.at(-1)?.[0]}`;
      for (const [id, text] of page) {
        if (dlqIds !== undefined && !mentionsAny(text, dlqIds)) continue;
        if (isCutTooShort(text, query)) {
          next = id;
          break;
        }
        const at = Number(id.slice(0, id.indexOf("-")));
        const parsed = parseEntryText(text, at, source, query);
        const entry = parsed === null ? null : selectRecords(parsed, query);
        if (entry !== null) yield entry;
      }
      if (next === null) return;
      if (forwards) from = next;
      else to = next;
    }
  }

  async function readEntries(
    [name = "", one = "", other = "", count = ""]: readonly string[],
    skims: AuditQuery["skims"],
  ): Promise<readonly (readonly [id: string, text: string])[]> {
    if (skims === undefined) {
      const reply = await redis.command(name, stream, one, other, "COUNT", count);
      return (reply as readonly StreamEntry[]).map(([id, fields]) => [
        id,
        fields[fields.indexOf("e") + 1] ?? "",
      ]);
    }
    const args = [name, one, other, count, ...auditActs.filter(skims)];
    return toHashEntries(await redis.run(skimScript, [stream], args));
  }

  async function cutAt(): Promise<number> {
    const [written, [oldest]] = await Promise.all([
      redis.command("GET", `${stream}:bytes`),
      redis.command("XRANGE", stream, "-", "+", "COUNT", "1") as Promise<readonly StreamEntry[]>,
    ]);
    if (oldest === undefined) return 0;
    const [id, fields] = oldest;
    const before = Number(fields[fields.indexOf("c") + 1]);
    // What was trimmed by its age leaves less, or begins 30 days ago.
    return before > 0 && Number(written) - before > maxBytes / 2 ? Number(id.slice(0, id.indexOf("-"))) : 0;
  }

  const riding: RidingAudit = {
    toAppend: (entries, lists) =>
      hasUnwritten()
        ? null
        : { stream, args: [keepMs, maxBytes, ...entries.flatMap((entry) => toTexts(entry, lists))] },
    written,
  };
  return { ...audit, riding, read, cutAt, lineageOf: (dlqId) => traceLineage(read, dlqId) };
}

type StreamEntry = readonly [id: string, fields: readonly string[]];

/** A cheap check before parsing: most texts are about other dead letters. */
function mentionsAny(text: string, dlqIds: ReadonlySet<string>): boolean {
  for (const dlqId of dlqIds) if (text.includes(dlqId)) return true;
  return false;
}

/** The entry with only the records that the query asks for, or null if none is left. Ignores times, acts and actors. */
function selectRecords(entry: AuditEntry, { dlqIds, drain }: AuditQuery): AuditEntry | null {
  if (drain !== undefined && !isAboutDrain(entry, drain)) return null;
  if (dlqIds === undefined) return entry;
  const records = entry.records.filter(
    ({ dlqId, parent }) => dlqIds.has(dlqId) || (parent !== undefined && dlqIds.has(parent)),
  );
  return records.length === 0 ? null : { ...entry, records };
}
