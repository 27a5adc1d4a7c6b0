import { readFileSync } from "node:fs";
import type { DlqId, MessageId } from "../../../src/job/message/dead-letter.ts";
import type { Token } from "../../../src/job/contracts/ids.ts";
import {
  coolBeyondWindowMs,
  postHorizonMs,
  refusedAloneEveryMs,
  takeoverAfterMs,
  type LedgerLimits,
} from "../../../src/job/contracts/ledger-limits.ts";
import type { BeginAnswer, LedgerSummary, PublishedVerdict } from "../../../src/job/contracts/ledger.ts";
import type { RedisConnection } from "../../../src/job/redis/connect.ts";
import { defineScript } from "../../../src/job/redis/script-runner.ts";
import { parseView } from "../../../src/job/store/ledger/entry.ts";
import { sourceKeys } from "../../../src/job/store/keys.ts";
import { drain, messageId, source } from "../ledger-stands.ts";

const textOf = (name: string): string => readFileSync(new URL(`${name}.lua`, import.meta.url), "utf8");
const scriptOf = (name: string) => defineScript(`ledger:${name}`, textOf("prelude") + textOf(name));

/**
 * The ledger as the build before batches has it: its own scripts, word for word. In an upgrade it works on the
 * same Redis as the one of today.
 */
export function createLedgerBeforeBatches(redis: RedisConnection, limits: LedgerLimits) {
  const keys = sourceKeys(redis.keyPrefix, source);
  const scriptKeys = [keys.meta, keys.open, keys.pending, keys.failed, keys.pauses, keys.parked];
  const coolLife = limits.dedupWindowMs + coolBeyondWindowMs;
  const shortestLife = Math.min(coolLife, limits.tombstoneMs);
  const limitsText = JSON.stringify({
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
  const run = (name: string, call: object): Promise<unknown> =>
    redis.run(scriptOf(name), scriptKeys, [keys.entryPrefix, "epoch", limitsText, JSON.stringify(call)]);
  const ask = async <Answer>(name: string, call: object): Promise<Answer> =>
    JSON.parse(String(await run(name, call))) as Answer;
  return {
    begin: (dlqIds: readonly DlqId[], token: Token, pageReadAt: number) =>
      ask<BeginAnswer>("begin", {
        token,
        drain,
        act: "republish",
        pageReadAt,
        pastHorizon: "leave",
        requests: dlqIds.map((dlqId) => ({ dlqId, messageId: messageId(dlqId), attempt: 1 })),
      }),
    published: (dlqIds: readonly DlqId[], as: MessageId) =>
      ask<{ verdicts: readonly PublishedVerdict[] }>("published", {
        facts: dlqIds.map((dlqId) => ({ dlqId, as, attempt: 1, deletePending: true, drain })),
      }),
    gone: (dlqIds: readonly DlqId[]) => ask<{ count: number }>("gone", { dlqIds }),
    summary: () => ask<LedgerSummary>("summary", {}),
    async look(dlqIds: readonly DlqId[]) {
      const [stamp, ...texts] = (await run("look", { dlqIds, areListed: true })) as (string | null)[];
      const { at } = JSON.parse(String(stamp)) as { readonly at: number };
      const views = dlqIds.map((_, index) => {
        const text = texts[index] ?? null;
        return text === null ? ({ state: "absent" } as const) : parseView(text, at, limits);
      });
      return { views };
    },
  };
}
