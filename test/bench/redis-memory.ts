/**
 * What a record costs in Redis, in each state of the ledger, an act in the audit, and a lane: bytes of
 * used_memory over many of them. Node 20 runs no TypeScript, so it is compiled first:
 *
 *     npm run bench -- redis [records]
 *
 * Exits 1 when a figure of docs/redis.md is more than a tenth off. Starts a Redis of its own.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { grantLifeMs } from "../../src/job/contracts/ledger-limits.ts";
import { auditLimits, createRedisAudit } from "../../src/job/store/audit/redis-audit.ts";
import { findRedisServer } from "../../dev/demo/find-or-start-redis.ts";
import { sourceKey } from "../../src/job/redis/key-prefix.ts";
import { createRedisCopyBook } from "../../src/job/store/copies/redis-copy-book.ts";
import { createRedisLaneBook } from "../../src/job/store/lanes/redis-lane-book.ts";
import { createRedisLedger } from "../../src/job/store/ledger/redis-ledger.ts";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import { toLaneId, toRootHash } from "../../src/job/message/short-id.ts";
import type { DrainName, SourceId, Token } from "../../src/job/contracts/ids.ts";
import type { Ledger } from "../../src/job/contracts/ledger.ts";
import { createRedis, type RedisConnection } from "../../src/job/redis/connect.ts";
import { parseInfo } from "../../src/job/redis/judge-server.ts";
import { defaultLimits, messageOf } from "../support/ledger-limits.ts";

const records = Number(process.argv[2] ?? 100_000);
const page = 100;
const source = "default" as SourceId;
const drain = "orders" as DrainName;
const startedAt = 1_760_000_000_000;
const limits = { ...defaultLimits, settleGateFailedDeletes: Number.MAX_SAFE_INTEGER };

interface Stand {
  readonly redis: RedisConnection;
  readonly ledger: Ledger;
}
/** Brings one page of records into a state. */
type Write = (stand: Stand, ids: readonly DlqId[]) => Promise<unknown>;

const decided = (id: DlqId): object => ({
  rule: "outage",
  attempt: 1,
  host: `receiver-${Number(id.slice(0, -2)) % 4}.example.com`,
});
const token = (id: DlqId | undefined): Token => `0a7e61d8-3f5a-4c0a-9b9f-${String(id).slice(-12)}` as Token;

const begin =
  (act: "republish" | "drop"): Write =>
  async ({ ledger }, ids) => {
    const { at } = await ledger.now();
    await ledger.begin(
      ids.map((dlqId) => ({ dlqId, messageId: messageOf(dlqId), attempt: 1 })),
      { token: token(ids[0]), drain, act, pageReadAt: at, pastHorizon: "leave" },
    );
  };
const publish: Write = async ({ ledger }, ids) => {
  await ledger.published(
    ids.map((dlqId) => ({
      dlqId,
      as: messageOf(dlqId),
      attempt: 1,
      deletePending: true,
      drain,
      messageId: messageOf(dlqId),
    })),
  );
};
const inTurn =
  (...writes: readonly Write[]): Write =>
  async (stand, ids) => {
    for (const write of writes) await write(stand, ids);
  };

const states: Readonly<Record<string, Write>> = {
  open: begin("republish"),
  cool: inTurn(begin("republish"), ({ ledger }, ids) =>
    ledger.refused(
      ids.map((dlqId) => ({ dlqId, outcome: "refused", coolMs: 60_000 })),
      token(ids[0]),
    ),
  ),
  published: inTurn(begin("republish"), publish),
  archived: inTurn(begin("drop"), ({ ledger }, ids) =>
    ledger.archived(ids, "2026-11-20-0a7e61d8-3f5a-4c0a.ndjson.gz", token(ids[0])),
  ),
  gone: inTurn(begin("republish"), publish, ({ ledger }, ids) => ledger.gone(ids)),
  parked: ({ ledger }, ids) =>
    ledger.park(
      ids.map((dlqId) => ({ dlqId, reason: "attempts-exhausted", attempt: 5, failure: "0123456789" })),
      { drain, rulesHash: "0123456789abcdef", token: null },
    ),
  copied: ({ redis }, ids) =>
    createRedisCopyBook(redis, source, { lifeMs: limits.retentionMs, archive: "0123456789ab" }).copied(ids),
  // One for each id: its first canaries are watched, and it has met as much of what it holds as it remembers.
  // What the calls were answered is forgotten within a minute.
  lane: async ({ redis }, ids) => {
    let calls = 0;
    const book = createRedisLaneBook(redis, source, grantLifeMs(limits), {
      token: () => `bench-${(calls += 1)}`,
    });
    const config = { canary: 5, watchMs: 60_000, haltAt: 0.2, probeEveryMs: 300_000, openFrom: 600 };
    const asks = ids.map((id) => {
      const origin = `https://api-${id}.example.com`;
      return { lane: toLaneId(drain, origin), origin, wanted: 5, resumeMinutes: [] };
    });
    const { answers } = await book.ask(drain, config, asks);
    for (const pair of [0, 2, 4, 6, 8, 10]) {
      const resumeMinutes = [pair, pair + 1].map(
        (minute) => Math.floor(startedAt / 60_000 - minute) * 60_000,
      );
      await book.ask(
        drain,
        config,
        asks.map((ask) => ({ ...ask, resumeMinutes })),
      );
    }
    await book.sent(
      asks.map(({ lane }, index) => ({
        lane,
        step: answers[index]!.step,
        roots: [1, 2, 3, 4, 5].map((root) => toRootHash(`${lane} ${root}`)),
      })),
    );
    const call = (index: number) => sourceKey(redis.keyPrefix, source, "lanes", "call", `bench-${index + 1}`);
    await redis.command("DEL", ...Array.from({ length: calls }, (_, index) => call(index)));
  },
  // Its three acts: republish, published, delete. The messages of a batch go to four hosts.
  audited: async ({ redis }, ids) => {
    const audit = createRedisAudit(redis, source, auditLimits);
    const known = {
      source,
      drain,
      by: "daemon redriver-6d5f9c7b8-x2x4z",
      passId: "0a7e61d8-3f5a-4c0a-9b9f-0a7e61d83f5a",
      documentHash: "0123456789abcdef",
    };
    const each = (more: (id: DlqId) => object) => ids.map((dlqId) => ({ dlqId, ...more(dlqId) }));
    await audit.append([
      { ...known, act: "republish", records: each((id) => ({ ...decided(id), reason: "due" })) },
    ]);
    await audit.append([
      { ...known, act: "published", records: each((id) => ({ ...decided(id), as: messageOf(id) })) },
    ]);
    await audit.append([{ ...known, act: "delete", records: each(() => ({})) }]);
  },
};

async function usedMemory(redis: RedisConnection): Promise<number> {
  return Number(parseInfo(await redis.command("INFO", "memory")).get("used_memory"));
}

async function measure(redis: RedisConnection, write: Write): Promise<number> {
  await redis.command("FLUSHALL");
  const ledger = createRedisLedger(redis, source, limits, { epochSeed: () => "epoch" });
  // Scripts are loaded and buffers grown before the first look.
  await write({ redis, ledger }, [`${startedAt - 1}-0` as DlqId]);
  const before = await usedMemory(redis);
  for (let at = 0; at < records; at += page) {
    const ids = Array.from({ length: page }, (_, index) => `${startedAt + at + index}-0` as DlqId);
    await write({ redis, ledger }, ids);
  }
  return ((await usedMemory(redis)) - before) / records;
}

function documented(): ReadonlyMap<string, number> {
  const text = readFileSync(resolve("docs/redis.md"), "utf8");
  return new Map(
    [...text.matchAll(/^\| ([\w ]+?) +\| (\d+) +\|/gm)].map(([, name = "", bytes]) => [name, Number(bytes)]),
  );
}

const server = await findRedisServer({
  env: { PATH: process.env["PATH"] },
  cacheDir: ".cache/redis",
  say: (line) => process.stderr.write(`${line}\n`),
});
const redis = createRedis({ url: server.url }, { role: "bench" });
let off = 0;
try {
  await redis.ready(5_000);
  const known = documented();
  for (const [name, write] of Object.entries(states)) {
    const bytes = await measure(redis, write);
    const said = known.get(name);
    const fits = said !== undefined && Math.abs(bytes - said) <= said / 10;
    if (!fits) off += 1;
    process.stdout.write(
      `${name.padEnd(18)} ${bytes.toFixed(0).padStart(5)} bytes, docs/redis.md says ${said ?? "nothing"}${fits ? "" : "  <-"}\n`,
    );
  }
} finally {
  await redis.close();
  await server.stop();
}
process.exitCode = off === 0 ? 0 : 1;
