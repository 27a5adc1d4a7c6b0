import type { DlqId } from "../../message/dead-letter.ts";
import type { SourceId } from "../../ports/ids.ts";
import { postHorizonMs, takeoverAfterMs, type LedgerLimits } from "../../ports/ledger-limits.ts";
import type { OpenEntry, ParkedDeadLetter, PendingEntry } from "../../ports/ledger-entries.ts";
import type {
  BeginAnswer,
  Ledger,
  LedgerStamp,
  LedgerSummary,
  ParkVerdict,
  PublishedVerdict,
  RefusedVerdict,
  SourceFacts,
} from "../../ports/ledger.ts";
import type { RedisConnection } from "../../redis/connect.ts";
import type { RedisScript } from "../../redis/script-runner.ts";
import { coolBeyondWindowMs, deleteFlags, parseView, refusedAloneEveryMs } from "./entry.ts";
import { sourceKeys } from "../keys.ts";
import { parseReply, toList } from "../script-reply.ts";
import { beginScript } from "./begin.lua.ts";
import { archivedScript, deleteFailedScript, goneScript, publishedScript } from "./facts.lua.ts";
import {
  lookScript,
  recordLossScript,
  nowScript,
  pageScript,
  parkedScript,
  summaryScript,
} from "./reads.lua.ts";
import { parkScript, refusedScript, releaseScript } from "./rights.lua.ts";

/** What the ledger needs of a connection: scripts and the key prefix. */
export type LedgerRedis = Pick<RedisConnection, "run" | "keyPrefix">;

/** Gone by listing is worked off in scripts of this many. */
const goneChunk = 100;

/**
 * The ledger of one source in Redis. `epochSeed` makes the name that the ledger gets when it has none yet.
 */
export function createRedisLedger(
  redis: LedgerRedis,
  sourceId: SourceId,
  limits: LedgerLimits,
  identity: { epochSeed(): string },
): Ledger {
  const keys = sourceKeys(redis.keyPrefix, sourceId);
  const scriptKeys = [keys.meta, keys.open, keys.pending, keys.failed, keys.pauses, keys.parked];
  const limitsText = toScriptLimits(limits);

  const run = (script: RedisScript, call: object): Promise<unknown> =>
    redis.run(script, scriptKeys, [
      keys.entryPrefix,
      identity.epochSeed(),
      limitsText,
      JSON.stringify(withoutNulls(call)),
    ]);
  const ask = async <Answer extends LedgerStamp>(script: RedisScript, call: object): Promise<Answer> =>
    parseAnswer(script, await run(script, call)) as Answer;
  const views = async (dlqIds: readonly DlqId[], areListed: boolean) => {
    const [stampText, ...texts] = (await run(lookScript, { dlqIds, areListed })) as [
      string,
      ...(string | null)[],
    ];
    const stamp = parseAnswer(lookScript, stampText);
    const found = dlqIds.map((_, i) => {
      const text = texts[i];
      return typeof text === "string" ? parseView(text, stamp.at, limits) : { state: "absent" as const };
    });
    return { ...stamp, views: found };
  };
  const page = async (index: "open" | "pending", limit: number, offset: number, narrowed: object = {}) => {
    const call = { index, limit, offset, ...narrowed };
    const [stampText, walked, ...rest] = (await run(pageScript, call)) as [string, number, ...string[]];
    const stamp = parseAnswer(pageScript, stampText);
    return { stamp, walked, rows: toRows(rest, stamp.at, limits) };
  };

  return {
    limits,
    now: () => ask(nowScript, {}),

    look: (dlqIds) => views(dlqIds, true),

    peek: (dlqIds) => views(dlqIds, false),

    begin: (requests, options) => ask<BeginAnswer>(beginScript, { ...options, requests }),

    published: async (facts) =>
      toSourceFacts(
        await ask<SourceFacts & { verdicts: readonly PublishedVerdict[] }>(publishedScript, { facts }),
      ),

    refused: async (requests, token) =>
      toSourceFacts(
        await ask<SourceFacts & { verdicts: readonly RefusedVerdict[] }>(refusedScript, { requests, token }),
      ),

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
        const { count: here, ...rest } = await ask<LedgerStamp & { count: number }>(goneScript, {
          dlqIds,
          ...narrowed,
        });
        count += here;
        stamp = rest;
      }
      return { ...stamp, count };
    },

    park: (requests, options) =>
      ask<LedgerStamp & { verdicts: readonly ParkVerdict[] }>(parkScript, { ...options, requests }),

    release: (dlqIds, released = "by-person") =>
      ask(releaseScript, { dlqIds, rel: released === "by-person" ? 1 : 2 }),

    async parkedEntries(cursor) {
      const [stampText, next, ...rest] = (await run(parkedScript, { cursor: cursor ?? "0" })) as string[];
      const stamp = parseAnswer(parkedScript, stampText);
      const entries = toRows(rest, stamp.at, limits).flatMap(({ dlqId, view }): ParkedDeadLetter[] =>
        view.state === "parked" ? [{ dlqId, view }] : [],
      );
      return { ...stamp, entries, cursor: next === "0" ? null : (next ?? null) };
    },

    async unknownOutcomes(limit, offset) {
      const { stamp, rows } = await page("open", limit, offset);
      const entries = rows.flatMap(({ dlqId, view }): OpenEntry[] =>
        view.state === "open" ? [{ dlqId, view }] : [],
      );
      return { ...stamp, entries };
    },

    async pendingDeletes(limit, offset) {
      const { stamp, rows } = await page("pending", limit, offset);
      const entries = rows.flatMap(({ dlqId, view }): PendingEntry[] =>
        view.state === "published" || view.state === "archived" ? [{ dlqId, view }] : [],
      );
      return { ...stamp, entries };
    },

    recordLoss: (oldestAt) =>
      ask(recordLossScript, {
        window: limits.dedupWindowMs,
        ...(oldestAt === undefined ? {} : { oldestAt }),
      }),

    async summary() {
      const answer = await ask<LedgerSummary>(summaryScript, {});
      return {
        ...answer,
        oldestOpenAt: answer.oldestOpenAt ?? null,
        oldestPendingAt: answer.oldestPendingAt ?? null,
        // Their index may hold entries that have expired: they are counted where they are listed.
        parked: null,
      };
    },
  };
}

/** dlqId and entry text alternating. */
function toRows(texts: readonly string[], now: number, limits: LedgerLimits) {
  const rows = [];
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
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  );
}

function parseAnswer(script: RedisScript, reply: unknown): LedgerStamp {
  const answer = parseReply(script, reply) as LedgerStamp & { verdicts?: readonly unknown[] };
  if (answer.verdicts !== undefined) answer.verdicts = toList(answer.verdicts);
  return answer;
}

function toSourceFacts<Answer extends SourceFacts>(answer: Answer): Answer {
  return { ...answer, lastAcceptedAt: answer.lastAcceptedAt ?? null };
}
