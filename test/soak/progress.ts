import { randomUUID } from "node:crypto";
import type { DlqId } from "../../src/message/dead-letter.ts";
import type { SourceId } from "../../src/ports/ids.ts";
import { createRedisLedger } from "../../src/ledger/redis-ledger.ts";
import type { RedisConnection } from "../../src/redis/connect.ts";
import { sourceId, times } from "./document.ts";
import type { Booked, Judge } from "./judge.ts";

export interface Obstacles {
  /** Something is broken just now. */
  readonly isBroken: boolean;
  /** Unix ms until which what was broken has effects by design; no wait before it counts as one too long. */
  readonly excusedUntil: number;
}

/** How long dead letters wait that could be settled, in times in which nothing is broken. */
export interface Progress {
  /** To be told often. */
  look(obstacles: Obstacles, connection: RedisConnection): Promise<void>;
  /** What waits still. */
  readonly waiting: number;
  /** From the last mending on, effects by design included. */
  readonly longestWaitMs: number;
  /** Unix ms: times of quiet so far, the present one included. */
  quietWithin(from: number, to: number): number;
}

/** Nothing is to wait longer than this. */
export const longestWaitMs = times.takeoverAfter + 2 * times.sweepEvery;

/** Younger ones are on their way as a rule. */
const grownMs = 3_000;
const idsPerLook = 100;

export function createProgress(judge: Judge, now: () => number): Progress {
  const quiet: { from: number; to: number }[] = [];
  let current: { from: number; to: number } | null = null;
  /** What waits for a person, or for minutes by design; asked again after a while. */
  const excused = new Map<Booked, number>();
  const told = new Set<Booked>();
  let waiting = 0;
  let longest = 0;

  const progress: Progress = {
    get waiting() {
      return waiting;
    },
    get longestWaitMs() {
      return longest;
    },
    quietWithin: (from, to) =>
      quiet.reduce((sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)), 0),
    async look({ isBroken, excusedUntil }, connection) {
      const at = now();
      if (isBroken) current = null;
      else if (current === null) quiet.push((current = { from: at, to: at }));
      else current.to = at;

      const left = [...judge.letters.values()].filter(
        (booked) =>
          booked.deleted === null &&
          (booked.letter.fate === "republish" || booked.letter.fate === "drop") &&
          at - booked.bornAt > grownMs &&
          (excused.get(booked) ?? 0) < at,
      );
      waiting = left.length;
      if (current === null) return;
      const since = current.from;
      const waitOf = ({ bornAt }: Booked): number => at - Math.max(bornAt, since);
      const long = left.filter((booked) => waitOf(booked) > grownMs);
      for (const booked of await withoutReason(long, connection, at, excused)) {
        // What was settled while the ledger was asked has waited no longer.
        if (booked.deleted !== null) continue;
        const waitedMs = waitOf(booked);
        longest = Math.max(longest, waitedMs);
        if (Math.min(waitedMs, at - excusedUntil) <= longestWaitMs || told.has(booked)) continue;
        told.add(booked);
        const { dlqId, root } = booked.letter;
        judge.broken("stalled", `${dlqId} (${root}) waited ${waitedMs} ms while nothing was broken`);
      }
    },
  };
  return progress;
}

/** Those that the ledger gives no reason for: neither parked nor refused for some minutes. */
async function withoutReason(
  booked: readonly Booked[],
  connection: RedisConnection,
  at: number,
  excused: Map<Booked, number>,
): Promise<readonly Booked[]> {
  const ledger = createRedisLedger(connection, sourceId as SourceId, limits, { epochSeed: randomUUID });
  const left: Booked[] = [];
  for (let start = 0; start < booked.length; start += idsPerLook) {
    const page = booked.slice(start, start + idsPerLook);
    const { views } = await ledger.peek(page.map(({ letter }) => letter.dlqId as DlqId));
    for (const [index, one] of page.entries()) {
      const view = views[index];
      if (view?.state === "parked" || (view?.state === "cool" && view.dueAt > at + refusedForMs)) {
        excused.set(one, at + askAgainMs);
      } else {
        left.push(one);
      }
    }
  }
  return left;
}

/** A refusal without a control cools for ten minutes; what was not sent, for seconds. */
const refusedForMs = 60_000;
const askAgainMs = 10_000;

/** What a look needs of them; nothing is begun or kept by it. */
const limits = {
  dedupWindowMs: times.dedupWindow,
  sendByMs: times.sendBy,
  batchTimeoutMs: times.batchTimeout,
  networkDelayMs: times.networkDelay,
  maxPageAgeMs: 60_000,
  retentionMs: 3 * 86_400_000,
  tombstoneMs: 3_600_000,
  settleGateAgeMs: 60_000,
  settleGateFailedDeletes: 1_000,
};
