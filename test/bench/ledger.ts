/**
 * What the ledger costs per message on the straight way: look, begin, published, gone, in pages of 100, with the
 * entries of the audit that ride along. CPU of Redis and of this process, the bytes sent, and those that each step leaves:
 *
 *     npm run bench -- redis      (redis-memory.ts, and then this)
 *
 * Compare figures of one run only. Starts a Redis of its own.
 */
import type { DlqId, MessageId } from "../../src/job/message/dead-letter.ts";
import type { DrainName, SourceId, Token } from "../../src/job/contracts/ids.ts";
import type { Ledger } from "../../src/job/contracts/ledger.ts";
import { findRedisServer } from "../../dev/demo/find-or-start-redis.ts";
import { createRedis, type RedisConnection } from "../../src/job/redis/connect.ts";
import { parseInfo } from "../../src/job/redis/judge-server.ts";
import type { AuditAct, AuditRecord, NewAuditEntry } from "../../src/job/contracts/audit.ts";
import { auditLimits, createRedisAudit } from "../../src/job/store/audit/redis-audit.ts";
import { createRedisLedger } from "../../src/job/store/ledger/redis-ledger.ts";
import { defaultLimits as limits, messageOf } from "../support/ledger-limits.ts";

const records = Number(process.argv[2] ?? 100_000);
const perPage = 100;
const pagesInFlight = 4;
/** A step is measured over so many at a time. A process has no more on their way. */
const recordsOnTheirWay = 10_000;
const startedAt = 1_760_000_000_000;
const drain = "orders" as DrainName;
const source = "default" as SourceId;

interface Page {
  readonly ids: readonly DlqId[];
  readonly token: Token;
}

const toPages = (count: number, from: number): readonly Page[] =>
  Array.from({ length: Math.ceil(count / perPage) }, (_, page) => ({
    ids: Array.from({ length: perPage }, (_none, index) => `${from + page * perPage + index}-0` as DlqId),
    token: `0a7e61d8-3f5a-4c0a-9b9f-${String(from + page)
      .slice(-12)
      .padStart(12, "0")}` as Token,
  }));

const asOf = (dlqId: DlqId): MessageId => `msg_7d83f5a0c2b9f4c0a7e61_${dlqId}` as MessageId;
const entry = (act: AuditAct, records: readonly AuditRecord[]): NewAuditEntry => ({
  act,
  by: "daemon redriver-0-1",
  source,
  drain,
  passId: "0c4f5a52-2c1b-4a36-9c4e-3f1d7a5b9e10",
  documentHash: "5826ba974264",
  records,
});
const decided = { rule: "outage", attempt: 1, host: "orders.example.com" };

const steps: Readonly<Record<string, (ledger: Ledger, page: Page) => Promise<unknown>>> = {
  look: (ledger, { ids }) => ledger.look(ids),
  begin: async (ledger, { ids, token }) => {
    const { at } = await ledger.now();
    const answer = await ledger.begin(
      ids.map((dlqId) => ({ dlqId, messageId: messageOf(dlqId), attempt: 1 })),
      {
        token,
        drain,
        act: "republish",
        pageReadAt: at,
        pastHorizon: "leave",
        rulesHash: "0123456789abcdef",
        destinations: ["https://orders.example.com", "orders.example.com:443", "orders.example.com"],
        audit: [
          entry(
            "republish",
            ids.map((dlqId) => ({ dlqId, reason: "due", ...decided })),
          ),
        ],
      },
    );
    if (answer.kind !== "answered") throw new Error(`expected verdicts, got ${answer.kind}`);
  },
  published: (ledger, { ids }) =>
    ledger.published(
      ids.map((dlqId) => ({
        dlqId,
        as: asOf(dlqId),
        attempt: 1,
        deletePending: true,
        datesAgree: true,
        drain,
        messageId: messageOf(dlqId),
      })),
      [
        entry(
          "published",
          ids.map((dlqId) => ({ dlqId, as: asOf(dlqId), ...decided })),
        ),
        entry(
          "delete",
          ids.map((dlqId) => ({ dlqId })),
        ),
      ],
    ),
  gone: (ledger, { ids }) => ledger.gone(ids),
};

interface Use {
  readonly cpuUs: number;
  readonly sent: number;
  readonly bytes: number;
}

async function redisUse(redis: RedisConnection): Promise<Use> {
  const info = parseInfo(await redis.command("INFO"));
  const seconds = Number(info.get("used_cpu_user")) + Number(info.get("used_cpu_sys"));
  const sent = Number(info.get("total_net_input_bytes"));
  return { cpuUs: seconds * 1e6, sent, bytes: Number(info.get("used_memory")) };
}

async function eachPage(pages: readonly Page[], work: (page: Page) => Promise<unknown>): Promise<void> {
  const left = pages.values();
  await Promise.all(
    Array.from({ length: pagesInFlight }, async () => {
      for (const page of left) await work(page);
    }),
  );
}

const server = await findRedisServer({
  env: { PATH: process.env["PATH"] },
  cacheDir: ".cache/redis",
  say: (line) => process.stderr.write(`${line}\n`),
});
const redis = createRedis({ url: server.url }, { role: "bench" });
try {
  await redis.ready(5_000);
  await redis.command("FLUSHALL");
  const createLedger = (of: typeof limits) =>
    createRedisLedger(
      redis,
      source,
      of,
      { epochSeed: () => "epoch" },
      createRedisAudit(redis, source, auditLimits).riding,
    );
  const ledger = createLedger(limits);
  for (const step of Object.values(steps)) {
    await eachPage(toPages(10_000, startedAt - 1_000_000), (page) => step(ledger, page));
  }
  const costs = Object.keys(steps).map((name) => ({ name, redis: 0, client: 0, sent: 0, held: 0 }));
  for (let from = 0; from < records; from += recordsOnTheirWay) {
    const pages = toPages(Math.min(recordsOnTheirWay, records - from), startedAt + from);
    for (const cost of costs) {
      const before = await redisUse(redis);
      const cpu = process.cpuUsage();
      await eachPage(pages, (page) => steps[cost.name]!(ledger, page));
      const { user, system } = process.cpuUsage(cpu);
      const after = await redisUse(redis);
      cost.redis += (after.cpuUs - before.cpuUs) / records;
      cost.client += (user + system) / records;
      cost.sent += (after.sent - before.sent) / records;
      cost.held += (after.bytes - before.bytes) / records;
    }
  }
  process.stdout.write("step        Redis µs  client µs   bytes sent   bytes kept\n");
  const sumOf = (name: "redis" | "client" | "sent" | "held"): number =>
    costs.reduce((sum, cost) => sum + cost[name], 0);
  const all = {
    name: "all",
    redis: sumOf("redis"),
    client: sumOf("client"),
    sent: sumOf("sent"),
    held: sumOf("held"),
  };
  for (const { name, redis: ofRedis, client, sent, held } of [...costs, all]) {
    process.stdout.write(
      `${name.padEnd(10)} ${ofRedis.toFixed(2).padStart(9)} ${client.toFixed(2).padStart(10)} ${sent.toFixed(1).padStart(12)} ${held.toFixed(0).padStart(12)}\n`,
    );
  }
  const forgetful = createLedger({ ...limits, tombstoneMs: 200 });
  const before = await redisUse(redis);
  await eachPage(toPages(records, startedAt + 1e9), async (page) => {
    for (const step of Object.values(steps)) await step(forgetful, page);
  });
  const { cpuUs } = await redisUse(redis);
  process.stdout.write(
    `all, with the tombstones removed: ${((cpuUs - before.cpuUs) / records).toFixed(2)} Redis µs\n`,
  );
} finally {
  await redis.close();
  await server.stop();
}
