import type { DlqId } from "../../message/dead-letter.ts";
import type { SourceId } from "../../ports/ids.ts";
import {
  coolBeyondWindowMs,
  postHorizonMs,
  refusedAloneEveryMs,
  takeoverAfterMs,
  type LedgerLimits,
} from "../../ports/ledger-limits.ts";
import type { LedgerRow, OpenEntry, ParkedDeadLetter, PendingEntry } from "../../ports/ledger-entries.ts";
import type { NewAuditEntry } from "../../ports/audit.ts";
import type { Ledger, LedgerStamp, Riding } from "../../ports/ledger.ts";
import { parseReply, type RedisScript } from "../../redis/script-runner.ts";
import { deleteFlags, parseView } from "./entry.ts";
import type { RidingAudit } from "../audit/redis-audit.ts";
import { sourceKeys } from "../keys.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { beginScript } from "./begin.lua.ts";
import {
  archivedScript,
  deleteFailedScript,
  goneScript,
  publishedScript,
} from "./published-archived-gone.lua.ts";
import { lookScript, nowScript, pageScript, parkedScript } from "./reads.lua.ts";
import { parkScript, refusedScript, releaseScript } from "./refuse-park-release.lua.ts";
import { recordLossScript } from "./record-lost-writes.lua.ts";
import { summaryScript } from "./summary.lua.ts";

/** Gone by listing is worked off in scripts of this many. */
const goneChunk = 100;

/**
 * The ledger of one source in Redis. `epochSeed` makes the name that the ledger gets when it has none yet.
 * Without `audit` the caller writes all entries itself.
 */
export function createRedisLedger(
  redis: ScriptRedis,
  sourceId: SourceId,
  limits: LedgerLimits,
  identity: { epochSeed(): string },
  audit?: RidingAudit,
): Ledger {
  const keys = sourceKeys(redis.keyPrefix, sourceId);
  const scriptKeys = [keys.meta, keys.open, keys.pending, keys.failed, keys.pauses, keys.parked];
  const limitsText = toScriptLimits(limits);

  const run = (
    script: RedisScript,
    call: object,
    append?: ReturnType<RidingAudit["toAppend"]>,
  ): Promise<unknown> => {
    const args = [keys.entryPrefix, identity.epochSeed(), limitsText, JSON.stringify(call, nullAsAbsent)];
    if (append === null || append === undefined) return redis.run(script, scriptKeys, args);
    return redis.run(script, [...scriptKeys, append.stream], [...args, ...append.args]);
  };
  const ask = async <Answer>(script: RedisScript<Answer>, call: object): Promise<Answer> =>
    parseReply(script, await run(script, call));
  const askWithAudit = async <Answer extends object>(
    script: RedisScript<Answer & Riding>,
    call: object,
    entries: readonly NewAuditEntry[],
  ): Promise<Answer & Riding> => {
    const append = entries.length === 0 ? null : audit?.toAppend(entries);
    const answer = parseReply(script, await run(script, call, append));
    if (answer.audited === true) audit?.written(entries);
    return answer;
  };
  const views = async (dlqIds: readonly DlqId[], areListed: boolean) => {
    const [stampText, ...texts] = (await run(lookScript, { dlqIds, areListed })) as (string | null)[];
    const stamp = parseReply(lookScript, stampText);
    return { ...stamp, views: dlqIds.map((_, i) => parseView(texts[i] ?? null, stamp.at, limits)) };
  };
  const page = async (index: "open" | "pending", limit: number, offset: number, narrowed: object = {}) => {
    const call = { index, limit, offset, ...narrowed };
    const [stampText, walked, ...rest] = (await run(pageScript, call)) as [string, number, ...string[]];
    const stamp = parseReply(pageScript, stampText);
    return { stamp, walked, rows: toRows(rest, stamp.at, limits) };
  };

  return {
    limits,
    now: () => ask(nowScript, {}),

    look: (dlqIds) => views(dlqIds, true),

    peek: (dlqIds) => views(dlqIds, false),

    begin: (requests, { audit: entries = [], ...options }) =>
      askWithAudit(beginScript, { ...options, requests }, entries),

    published: (facts, entries = []) => askWithAudit(publishedScript, { facts }, entries),

    refused: (requests, token) => ask(refusedScript, { requests, token }),

    archived: (dlqIds, file, token) => ask(archivedScript, { dlqIds, file, token }),

    gone: (dlqIds) => ask(goneScript, { dlqIds }),

    deleteFailed: (dlqIds, how = "failed") => ask(deleteFailedScript, { dlqIds, ...deleteFlags(how) }),

    async markUnlistedGone(drain, passStartedAt) {
      const narrowed = { drain, unlistedSince: passStartedAt };
      const candidates: DlqId[] = [];
      let offset = 0;
      for (;;) {
        const { walked, rows } = await page("pending", goneChunk, offset, narrowed);
        if (walked === 0) break;
        candidates.push(...rows.map((row) => row.dlqId));
        offset += walked;
      }
      let count = 0;
      let stamp: LedgerStamp = await ask(nowScript, {});
      for (let i = 0; i < candidates.length; i += goneChunk) {
        const dlqIds = candidates.slice(i, i + goneChunk);
        const { count: here, ...rest } = await ask(goneScript, { dlqIds, ...narrowed });
        count += here;
        stamp = rest;
      }
      return { ...stamp, count };
    },

    park: (requests, options) => ask(parkScript, { ...options, requests }),

    release: (dlqIds, released = "by-person") =>
      ask(releaseScript, { dlqIds, rel: released === "by-person" ? 1 : 2 }),

    async parkedEntries(cursor) {
      const [stampText, next, ...rest] = (await run(parkedScript, { cursor: cursor ?? "0" })) as string[];
      const stamp = parseReply(parkedScript, stampText);
      const entries = toRows(rest, stamp.at, limits).filter(
        (row): row is ParkedDeadLetter => row.view.state === "parked",
      );
      return { ...stamp, entries, cursor: next === "0" ? null : (next ?? null) };
    },

    async unknownOutcomes(limit, offset) {
      const { stamp, rows } = await page("open", limit, offset);
      return { ...stamp, entries: rows.filter((row): row is OpenEntry => row.view.state === "open") };
    },

    async pendingDeletes(limit, offset) {
      const { stamp, rows } = await page("pending", limit, offset);
      const entries = rows.filter(
        (row): row is PendingEntry => row.view.state === "published" || row.view.state === "archived",
      );
      return { ...stamp, entries };
    },

    recordLoss: (oldestAt) => ask(recordLossScript, { window: limits.dedupWindowMs, oldestAt }),

    summary: () => ask(summaryScript, {}),
  };
}

/** dlqId and entry text alternating. */
function toRows(texts: readonly string[], now: number, limits: LedgerLimits): readonly LedgerRow[] {
  const rows: LedgerRow[] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) {
    rows.push({ dlqId: texts[i] as DlqId, view: parseView(texts[i + 1] ?? "", now, limits) });
  }
  return rows;
}

function toScriptLimits(limits: LedgerLimits): string {
  const coolLife = limits.dedupWindowMs + coolBeyondWindowMs;
  const shortestLife = Math.min(coolLife, limits.tombstoneMs);
  return JSON.stringify({
    takeover: takeoverAfterMs(limits),
    horizon: postHorizonMs(limits),
    maxPageAge: limits.maxPageAgeMs,
    retention: limits.retentionMs,
    tombstone: limits.tombstoneMs,
    gateAge: limits.settleGateAgeMs,
    gateFailed: limits.settleGateFailedDeletes,
    coolLife,
    backBy: Math.max(0, Math.floor((shortestLife - limits.maxPageAgeMs) / 2)),
    backEvery: shortestLife,
    aloneEvery: refusedAloneEveryMs,
  });
}

/** In Lua a JSON null is a value that counts as true; absent is what the scripts understand. */
function nullAsAbsent(_: string, value: unknown): unknown {
  return value === null ? undefined : value;
}
