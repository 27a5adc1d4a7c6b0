import type { DlqId } from "../../message/dead-letter.ts";
import type { SourceId } from "../../contracts/ids.ts";
import {
  coolBeyondWindowMs,
  postHorizonMs,
  refusedAloneEveryMs,
  takeoverAfterMs,
  type LedgerLimits,
} from "../../contracts/ledger-limits.ts";
import type { LedgerRow, LedgerView, OpenEntry, PendingEntry } from "../../contracts/ledger-entries.ts";
import type { NewAuditEntry } from "../../contracts/audit.ts";
import type { Ledger, ParkedInPage, ParkedPlace, PublishedVerdict, Riding } from "../../contracts/ledger.ts";
import { parseReply, type RedisScript } from "../../redis/script-runner.ts";
import { deleteFlags, parseView } from "./entry.ts";
import type { CallLists } from "../audit/entry-text.ts";
import type { RidingAudit } from "../audit/redis-audit.ts";
import { sourceKeys } from "../keys.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";
import { beginScript } from "./begin.lua.ts";
import { createBegunBatches, type BegunBatch } from "./begun-batches.ts";
import {
  archivedScript,
  deleteFailedScript,
  goneScript,
  publishedScript,
} from "./published-archived-gone.lua.ts";
import { packIds } from "./pack-ids.ts";
import { lookScript, nowScript, pageScript, parkedScript, sentAsScript } from "./reads.lua.ts";
import { parkScript, refusedScript, releaseScript } from "./refuse-park-release.lua.ts";
import { recordLossScript } from "./record-lost-writes.lua.ts";
import { summaryScript } from "./summary.lua.ts";

/** Gone by listing is worked off in scripts of this many. */
const goneChunk = 100;
const absent: LedgerView = { state: "absent" };
const recorded: PublishedVerdict = { kind: "recorded" };

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
  const { meta, none } = sourceKeys(redis.keyPrefix, sourceId);
  const limitsText = toScriptLimits(limits);

  const run = (
    script: RedisScript,
    call: object,
    lists: readonly unknown[] = [],
    append: ReturnType<RidingAudit["toAppend"]> | undefined = null,
  ): Promise<unknown> => {
    const texts = lists.map((list) => JSON.stringify(list));
    const args = [identity.epochSeed(), limitsText, JSON.stringify(call, nullAsAbsent), ...texts];
    return append
      ? redis.run(script, [meta, none, append.stream], [...args, ...append.args])
      : redis.run(script, [meta, none], args);
  };
  const ask = async <Answer>(
    script: RedisScript<Answer>,
    call: object,
    ...lists: readonly (readonly string[])[]
  ) => parseReply(script, await run(script, call, lists));
  const askWithAudit = async <Answer extends object>(
    script: RedisScript<Answer & Riding>,
    call: object,
    lists: readonly unknown[],
    entries: readonly NewAuditEntry[],
    named: CallLists,
  ): Promise<Answer & Riding> => {
    const append = entries.length === 0 ? null : audit?.toAppend(entries, named);
    const answer = parseReply(script, await run(script, call, lists, append));
    if (answer.audited === true) audit?.written(entries);
    return answer;
  };
  const views = async (dlqIds: readonly DlqId[], areListed: boolean, workerLostAt?: number) => {
    const reply = await run(lookScript, { areListed }, [dlqIds]);
    const [stampText, ...known] = reply as [string, ...(number | string)[]];
    const stamp = parseReply(lookScript, stampText);
    const found = dlqIds.map((): LedgerView => absent);
    for (let i = 0; i < known.length; i += 2) {
      found[Number(known[i])] = parseView(String(known[i + 1]), stamp.at, limits, workerLostAt);
    }
    return { ...stamp, views: found };
  };
  const page = async (index: "open" | "pending", limit: number, offset: number, narrowed: object = {}) => {
    const call = { index, limit, offset, ...narrowed };
    const [stampText, walked, ...rest] = (await run(pageScript, call)) as [string, number, ...string[]];
    const stamp = parseReply(pageScript, stampText);
    const rows = toHashEntries(rest).map(([dlqId, text]): LedgerRow => ({
      dlqId: dlqId as DlqId,
      view: parseView(text, stamp.at, limits),
    }));
    return { stamp, walked, rows };
  };

  const batches = createBegunBatches();
  const bury = async (dlqIds: readonly DlqId[], narrowed: object = {}) => {
    const { whole, rest } = batches.split(dlqIds);
    const tokens = whole.map(({ token }) => token);
    const answer = await ask(goneScript, narrowed, rest, tokens);
    for (const batch of whole) batches.forget(batch);
    const { left, count } = answer;
    if (left === undefined) return answer;
    const ids = whole.flatMap((batch) => (left.includes(batch.token) ? batch.dlqIds : []));
    const named = await ask(goneScript, narrowed, ids, []);
    return { ...named, count: count + named.count };
  };

  return {
    limits,
    now: () => ask(nowScript, {}),

    look: (dlqIds, workerLostAt) => views(dlqIds, true, workerLostAt),

    peek: (dlqIds) => views(dlqIds, false),

    sentAs: (messageIds) => ask(sentAsScript, {}, messageIds),

    async begin(requests, { audit: entries = [], ...options }) {
      const dlqId = requests.map((request) => request.dlqId);
      const lists = [dlqId, toColumn(requests, "messageId"), toColumn(requests, "attempt")];
      const call = { ...options, fk: packIds(requests, "failure"), ru: packIds(requests, "rule") };
      const answer = await askWithAudit(beginScript, call, lists, entries, { dlqId });
      if (!("all" in answer)) return answer;
      const { all, ...rest } = answer;
      batches.add({ token: options.token, dlqIds: dlqId });
      return { ...rest, verdicts: requests.map(() => all) };
    },

    async published(facts, entries = []) {
      const call = {
        attempt: toColumn(facts, "attempt"),
        deletePending: toColumn(facts, "deletePending"),
        datesAgree: toColumn(facts, "datesAgree"),
        namedBy: toColumn(facts, "namedBy"),
        lineage: toColumn(facts, "lineage"),
        drain: toColumn(facts, "drain"),
      };
      const messageIds = toColumn(facts, "messageId");
      const named = { dlqId: facts.map(({ dlqId }) => dlqId), as: facts.map(({ as }) => as ?? "") };
      const record = (batch?: BegunBatch) => {
        const lists = batch === undefined ? [named.dlqId, named.as, messageIds] : [[], named.as, false];
        return askWithAudit(publishedScript, { ...call, token: batch?.token }, lists, entries, named);
      };
      const isOfOneAct = call.deletePending === true && call.namedBy === false && !Array.isArray(call.drain);
      const { whole, rest: others } = batches.split(named.dlqId);
      const batch = isOfOneAct && whole.length === 1 && others.length === 0 ? whole[0] : undefined;
      let answer = await record(batch);
      if (batch !== undefined && answer.isUnknown === true) {
        batches.forget(batch);
        answer = await record();
      }
      return { ...answer, verdicts: answer.verdicts ?? facts.map(() => recorded) };
    },

    refused: (requests, token) => ask(refusedScript, { requests, token }),

    archived: (dlqIds, file, token) => ask(archivedScript, { file, token }, dlqIds),

    gone: (dlqIds) => bury(dlqIds),

    async deleteFailed(dlqIds, how = "failed", listed = null) {
      const call = { ...deleteFlags(how), drain: listed?.drain ?? false };
      return parseReply(
        deleteFailedScript,
        await run(deleteFailedScript, call, [dlqIds, listed?.messageIds ?? false]),
      );
    },

    async markUnlistedGone(drain, passStartedAt) {
      const narrowed = { drain, unlistedSince: passStartedAt };
      const candidates: DlqId[] = [];
      let offset = 0;
      let read = await page("pending", goneChunk, offset, narrowed);
      while (read.walked > 0) {
        candidates.push(...read.rows.map((row) => row.dlqId));
        offset += read.walked;
        read = await page("pending", goneChunk, offset, narrowed);
      }
      let answer = { ...read.stamp, count: 0 };
      for (let i = 0; i < candidates.length; i += goneChunk) {
        const buried = await bury(candidates.slice(i, i + goneChunk), narrowed);
        answer = { ...buried, count: answer.count + buried.count };
      }
      return answer;
    },

    park: (requests, options) => ask(parkScript, { ...options, requests }),

    release: (dlqIds, released = "by-person") =>
      ask(releaseScript, { rel: released === "by-person" ? 1 : 2 }, dlqIds),

    async parked(after, limit) {
      const reply = (await run(parkedScript, { after, limit })) as [string, number, ...string[]];
      const [stampText, total, ...members] = reply;
      const stamp = parseReply(parkedScript, stampText);
      const entries: ParkedInPage[] = [];
      let last: ParkedPlace | null = null;
      for (let i = 0; i + 2 < members.length; i += 3) {
        const [dlqId = "", score, text = ""] = members.slice(i, i + 3);
        last = { dlqId, keptUntil: Number(score) };
        const view = text === "" ? absent : parseView(text, stamp.at, limits);
        if (view.state === "parked") entries.push({ ...last, dlqId: dlqId as DlqId, view });
      }
      return { ...stamp, entries, total, next: members.length < 3 * limit ? null : last };
    },

    async unknownOutcomes(limit, offset) {
      const { stamp, rows } = await page("open", limit, offset);
      return { ...stamp, entries: rows.filter((row): row is OpenEntry => row.view.state === "open") };
    },

    async pendingDeletes(limit, offset) {
      const { stamp, rows } = await page("pending", limit, offset);
      return { ...stamp, entries: rows.filter(isPending) };
    },

    recordLoss: (oldestAt) => ask(recordLossScript, { window: limits.dedupWindowMs, oldestAt }),

    async summary(rules = []) {
      const ids = rules.map(({ id }) => id);
      const { counts = [], ...summary } = await ask(summaryScript, {}, ids);
      const known = rules.flatMap((rule, index) => {
        const [published = false, failedAgain] = counts[index] ?? [];
        if (published === false) return [];
        return [{ ...rule, published: Number(published), failedAgain: Number(failedAgain ?? 0) }];
      });
      return { ...summary, rules: known };
    },
  };
}

function toScriptLimits(limits: LedgerLimits): string {
  const longestLife = Math.max(limits.retentionMs, limits.tombstoneMs);
  const coolLife = limits.dedupWindowMs + coolBeyondWindowMs;
  const shortestLife = Math.min(coolLife, limits.tombstoneMs);
  return JSON.stringify({
    takeover: takeoverAfterMs(limits),
    horizon: postHorizonMs(limits),
    maxPageAge: limits.maxPageAgeMs,
    retention: limits.retentionMs,
    tombstone: limits.tombstoneMs,
    // Longer, so that a batch that is listed often is renewed seldom.
    pointerLife: longestLife + Math.max(Math.floor(longestLife / 8), 60_000),
    gateAge: limits.settleGateAgeMs,
    gateFailed: limits.settleGateFailedDeletes,
    coolLife,
    backBy: Math.max(0, Math.floor((shortestLife - limits.maxPageAgeMs) / 2)),
    backEvery: shortestLife,
    aloneEvery: refusedAloneEveryMs,
  });
}

function isPending(row: LedgerRow): row is PendingEntry {
  return row.view.state === "published" || row.view.state === "archived";
}

/** One value if it is the same for all, otherwise a list. An absent one is false. */
function toColumn<Row, Name extends keyof Row>(rows: readonly Row[], name: Name) {
  const first = rows[0]?.[name] ?? false;
  for (const row of rows) {
    if ((row[name] ?? false) !== first) return rows.map((one) => one[name] ?? false);
  }
  return rows.length === 0 ? [] : first;
}

/** In Lua a JSON null is a value that counts as true; absent is what the scripts understand. */
function nullAsAbsent(_: string, value: unknown): unknown {
  return value === null ? undefined : value;
}
