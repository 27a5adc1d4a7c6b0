import type { ParkReason } from "../../src/job/message/park-reasons.ts";
import type { PauseBook } from "../../src/job/contracts/pauses.ts";
import type { DlqId, MessageId } from "../../src/job/message/dead-letter.ts";
import type { Clock } from "../../src/job/contracts/clock.ts";
import type { DrainName, SourceId, Token } from "../../src/job/contracts/ids.ts";
import type { Series } from "../../src/job/contracts/ledger-entries.ts";
import type { LedgerLimits } from "../../src/job/contracts/ledger-limits.ts";
import type {
  BeginOptions,
  BeginRequest,
  BeginVerdict,
  Ledger,
  PublishedFact,
} from "../../src/job/contracts/ledger.ts";
import type { PassBook } from "../../src/job/contracts/passes.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import { defineScript, type RedisScript, type ScriptRunner } from "../../src/job/redis/script-runner.ts";
import { createRedisLedger } from "../../src/job/store/ledger/redis-ledger.ts";
import { createRedisPassBook } from "../../src/job/store/passes/redis-pass-book.ts";
import { createRedisPauseBook } from "../../src/job/store/pauses/redis-pause-book.ts";
import { defaultLimits } from "./ledger-limits.ts";
import { useRedis, type TestRedis } from "./redis.ts";

export { defaultLimits };
export const takeoverMs = 60_000;
export const horizonMs = 420_000;

export const source = "eu" as SourceId;
export const startOfTime = 1_760_000_000_000;

/** A ledger with the clock in the test's hand. */
export interface LedgerStand {
  readonly ledger: Ledger;
  readonly pauses: PauseBook;
  now(): number;
  /** Moves the clock, and the life of what is kept with it. */
  advance(ms: number): Promise<void>;
}

/**
 * The Redis ledger on a real server, with every script run twice, as the client does after a lost reply: the
 * second reply counts. The scripts' own text is run, except that the test gives the time; lives are shortened
 * when the clock moves.
 */
export async function redisStand(
  redis: RedisConnection,
  limits: LedgerLimits = defaultLimits,
): Promise<
  LedgerStand & {
    /** Of another process on the same Redis. */
    createLedger(): Ledger;
    readonly passes: PassBook;
    readonly redis: RedisConnection;
  }
> {
  const { redis: controlled, now, advance } = withMovedTime(redis);
  let epochs = 0;
  const epochSeed = (): string => `epoch-${(epochs += 1)}`;
  const createLedger = (): Ledger => createRedisLedger(controlled, source, limits, { epochSeed });
  return {
    ledger: createLedger(),
    createLedger,
    passes: createRedisPassBook(controlled, source),
    redis: controlled,
    pauses: createRedisPauseBook(redis, source),
    now,
    async advance(ms) {
      await advance(ms);
      await shortenLives(redis, ms);
    },
  };
}

/** Every third call is another process's, which knows none of the batches that the first has begun. */
export function ofTwoProcesses(one: Ledger, other: Ledger): Ledger {
  let turn = 0;
  return new Proxy(one, {
    get: (_, name) => Reflect.get((turn += 1) % 3 === 0 ? other : one, name) as unknown,
  });
}

/**
 * A connection whose scripts run twice, on a time that only `advance` moves, from `startOfTime` on; lives are
 * not shortened.
 */
export function withMovedTime(redis: RedisConnection): {
  readonly redis: RedisConnection;
  now(): number;
  advance(ms: number): Promise<void>;
} {
  let now = startOfTime;
  const { run } = twice(onClock(redis, { now: () => now }));
  return {
    redis: { ...redis, run },
    now: () => now,
    advance: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
}

/** Makes stands on keys of their own. At the top of a test file. */
export const standsOn =
  (redis: TestRedis = useRedis()) =>
  (limits?: LedgerLimits): Promise<LedgerStand> =>
    redisStand(redis.fresh(), limits);

export function twice(inner: ScriptRunner): ScriptRunner {
  return {
    run: async (script, keys, args) => {
      await inner.run(script, keys, args);
      return inner.run(script, keys, args);
    },
  };
}

/**
 * Runs scripts on this clock: their own text, except that they read the time from a last key that is added to
 * theirs.
 */
export function onClock<Runner extends ScriptRunner>(inner: Runner, clock: Pick<Clock, "now">): Runner {
  return {
    ...inner,
    run: (script, keys, args) => inner.run(withoutTime(script), [...keys, String(clock.now())], args),
  };
}

const scriptsWithoutTime = new Map<RedisScript, RedisScript>();

function withoutTime(script: RedisScript): RedisScript {
  const given = `{ string.sub(KEYS[#KEYS], 1, -4), string.sub(KEYS[#KEYS], -3) .. '000' }`;
  const known = scriptsWithoutTime.get(script);
  const found = known ?? defineScript(script.name, script.lua.replaceAll("redis.call('TIME')", given));
  scriptsWithoutTime.set(script, found);
  return found;
}

/** Lives are shortened in steps: each look for them costs as much as a script. What is new may end so much early. */
export const agingStepMs = 30_000;

/** The clock of one that is moved instead of waited for: what is kept in the ledger ages with it. */
export function onMovedClock(redis: RedisConnection, clock: Pick<Clock, "now">, movedMs: () => number) {
  const { run } = onClock(redis, clock);
  let seen = movedMs();
  const age: RedisConnection["run"] = async (...call) => {
    const ms = movedMs() - seen;
    if (Math.abs(ms) >= agingStepMs) {
      seen += ms;
      await shortenLives(redis, ms);
    }
    return run(...call);
  };
  return { ...redis, run: age };
}

async function shortenLives(redis: RedisConnection, ms: number): Promise<void> {
  const keys = (await redis.command("KEYS", `${redis.keyPrefix}:*:ledger:[eb]*:*`)) as readonly string[];
  for (const key of keys) {
    const left = Number(await redis.command("PTTL", key)) - ms;
    await (left > 0 ? redis.command("PEXPIRE", key, left) : redis.command("DEL", key));
  }
}

export const drain = "orders" as DrainName;
export const otherDrain = "refunds" as DrainName;
export const token = (text: string): Token => text as Token;
export const dlqId = (n: number): DlqId => `${startOfTime}-${n}` as DlqId;
export const messageId = (text: string): MessageId => `msg_${text}` as MessageId;

export function request(id: DlqId, attempt = 1): BeginRequest {
  return { dlqId: id, messageId: messageId(id), attempt };
}

/** Begins records under a token, as a worker with a page read just now. */
export async function begin(
  stand: LedgerStand,
  ids: DlqId | readonly DlqId[],
  by: Token,
  options: Partial<BeginOptions> = {},
): Promise<readonly BeginVerdict[]> {
  const answer = await beginAnswer(stand, ids, by, options);
  if (answer.kind !== "answered") throw new Error(`expected verdicts, got ${answer.kind}`);
  return answer.verdicts;
}

/** The verdict of a first POST, but for what is told. */
export const begun = (series: Partial<Series> = {}, declaredDouble: string | false = false) => ({
  kind: "begun",
  series: { suffix: 1, firstAt: startOfTime, posts: 1, refusals: 0, doubts: 0, ...series },
  declaredDouble,
});

/** The worker that holds a record posts it again. */
export const after = (by: Token, outcome: "refused" | "unknown" | "not-sent") => ({
  previous: { token: by, outcome },
});

export const lookAt = async ({ ledger }: LedgerStand, id: DlqId) => (await ledger.look([id])).views[0];

export function beginAnswer(
  stand: LedgerStand,
  ids: DlqId | readonly DlqId[],
  by: Token,
  options: Partial<BeginOptions> = {},
) {
  const list = typeof ids === "string" ? [ids] : ids;
  return stand.ledger.begin(
    list.map((id) => request(id)),
    { token: by, drain, act: "republish", pageReadAt: stand.now(), pastHorizon: "leave", ...options },
  );
}

/** Published at the first attempt, and to be deleted. */
export const publishedFact = (id: string): PublishedFact => ({
  dlqId: id as DlqId,
  as: `msg_${id}` as MessageId,
  attempt: 1,
  deletePending: true,
  drain: null,
  messageId: null,
});

/** The same of a message that the test names, by the drain of these tests. */
export const factOf = (id: DlqId, as: string, changes: Partial<PublishedFact> = {}): PublishedFact => ({
  ...publishedFact(id),
  as: messageId(as),
  drain,
  ...changes,
});

/** Parks one, as a worker of the rules `h` with this token does. */
export const parkAs = ({ ledger }: LedgerStand, id: DlqId, reason: ParkReason, by: Token | null = null) =>
  ledger.park([{ dlqId: id, reason, attempt: 0 }], { drain, rulesHash: "h", token: by });
