import { randomUUID } from "node:crypto";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import type { SourceId } from "../../src/job/contracts/ids.ts";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import { createRedisLedger } from "../../src/job/store/ledger/redis-ledger.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import { sourceKey } from "../../src/job/redis/key-prefix.ts";
import { ledgerLimits, sourceId } from "./document.ts";
import type { Booked, Judge } from "../rig/judge.ts";
import {
  createQuiet,
  begunAtOf,
  limitOf,
  pauseOf,
  stallLimitMs,
  weighWait,
  type Excuse,
  type NamedLimit,
  type Obstacles,
} from "./waits.ts";

/** Younger ones are on their way as a rule. */
const grownMs = 3_000;
const idsPerLook = 100;

/** How long dead letters wait that could be settled, in times in which nothing is broken. */
export function createProgress(judge: Judge, now: () => number) {
  const quiet = createQuiet();
  /** What waits for a person, or for minutes by design; asked again after a while. */
  const paused = new Map<Booked, number>();
  const excusedLetters = new Map<string, Set<string>>();
  const reported = new Set<Booked>();
  /** In the present time of quiet. */
  let most = { since: 0, waiting: 0, begun: 0 };
  let waiting = 0;
  let longestWaitMs = 0;
  let longestStallMs = 0;

  const excuseLetter = (why: string, { letter }: Booked): void => {
    const letters = excusedLetters.get(why) ?? new Set<string>();
    excusedLetters.set(why, letters.add(letter.dlqId));
  };

  function judgeWait(booked: Booked, since: number, at: number, view: LedgerView | undefined): void {
    const pause = pauseOf(view, at);
    if (pause !== null) {
      excuseLetter(pause, booked);
      paused.set(booked, at + askAgainMs);
      return;
    }
    // Its delete was answered and is not in what was read of the journal.
    if (view?.state === "gone") return;
    const waitedFrom = Math.max(booked.bornAt, since);
    const { isBegun, stallMs, excuse } = weighWait(
      view,
      {
        from: waitedFrom,
        at,
        isTried: booked.letter.isTried ?? false,
        limit: quiet.limit,
        begun: most.begun,
      },
      quiet.excusedUntil,
      most.waiting,
    );
    longestWaitMs = Math.max(longestWaitMs, at - waitedFrom);
    if (isBegun) longestStallMs = Math.max(longestStallMs, stallMs);
    if (excuse !== null) excuseLetter(excuse, booked);
    if (stallMs <= stallLimitMs || reported.has(booked)) return;
    reported.add(booked);
    const { dlqId, root } = booked.letter;
    judge.broken(
      "stalled",
      `${dlqId} (${root}) waited ${at - waitedFrom} ms while nothing was broken, ${stallMs} ms of it without an excuse; the ledger says ${JSON.stringify(view)}`,
    );
  }

  return {
    quiet,
    /** Dead letters that wait by design, or that waited longer than they may but for this. */
    excusedLetters,
    /** What waits still. */
    get waiting(): number {
      return waiting;
    },
    /** Since nothing is broken any more, excused or not. */
    get longestWaitMs(): number {
      return longestWaitMs;
    },
    /** The longest that something waited that was begun, less what is excused. */
    get longestStallMs(): number {
      return longestStallMs;
    },
    /** To be called often. Rejects while Redis is away. */
    async look(obstacles: Obstacles, connection: RedisConnection): Promise<void> {
      const at = now();
      const left = [...judge.letters.values()].filter(
        (booked) =>
          booked.deleted === null &&
          (booked.letter.fate === "republish" || booked.letter.fate === "drop") &&
          at - booked.bornAt > grownMs &&
          (paused.get(booked) ?? 0) < at,
      );
      waiting = left.length;
      const pauses = obstacles.isBroken ? [] : await readPauses(connection, at);
      quiet.look(at, { ...obstacles, excuses: [...obstacles.excuses, ...pauses] });
      const { since } = quiet;
      if (since === null) return;
      const limit = await readLimit(connection, at);
      if (limit !== null) quiet.limited(limit);
      if (most.since !== since) most = { since, waiting: 0, begun: 0 };
      most.waiting = Math.max(most.waiting, waiting);
      const long = left.filter(({ bornAt }) => at - Math.max(bornAt, since) > grownMs);
      const views = await readViews(long, connection);
      most.begun = Math.max(most.begun, views.filter((view) => begunAtOf(view) !== null).length);
      for (const [index, booked] of long.entries()) {
        // What was settled while the ledger was asked has waited no longer.
        if (booked.deleted === null) judgeWait(booked, since, at, views[index]);
      }
    },
  };
}

async function readViews(
  booked: readonly Booked[],
  connection: RedisConnection,
): Promise<readonly LedgerView[]> {
  const ledger = createRedisLedger(connection, sourceId as SourceId, ledgerLimits, { epochSeed: randomUUID });
  const views: LedgerView[] = [];
  for (let start = 0; start < booked.length; start += idsPerLook) {
    const page = booked.slice(start, start + idsPerLook);
    views.push(...(await ledger.peek(page.map(({ letter }) => letter.dlqId as DlqId))).views);
  }
  return views;
}

/**
 * While all daemons pause the source: they do not know yet that the service is well, or it asked for a pause.
 */
async function readPauses(connection: RedisConnection, at: number): Promise<readonly Excuse[]> {
  const key = sourceKey(connection.keyPrefix, sourceId, "rests");
  const ends = (await connection.command("HMGET", key, "failing", "probe", "dlq", "batch")) as readonly (
    | string
    | null
  )[];
  const [failing = 0, probe = 0, ...limited] = ends.map(Number);
  const excuses: readonly Excuse[] = [
    { why: "source paused after no answers", until: Math.max(failing, probe) },
    { why: "service asked for a pause", until: Math.max(...limited) },
  ];
  return excuses.filter(({ until }) => until > at);
}

async function readLimit(connection: RedisConnection, at: number): Promise<NamedLimit | null> {
  const key = sourceKey(connection.keyPrefix, sourceId, "calls");
  const [rate = null, paced = null] = (await connection.command("HMGET", key, "rate", "paced")) as readonly (
    | string
    | null
  )[];
  return limitOf(rate, paced, at);
}

/** What is paused is asked for again after this. */
const askAgainMs = 10_000;
