/**
 * What an open lane costs: the same drain with lanes and without, one window at a time, counted on the path
 * to Redis and in the emulator's journal.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { EntryOf } from "../../../dev/emulator/index.ts";
import { atMost, exactly, shown, timed, type Figure } from "../../rig/figures.ts";
import { startRedisRounds, toLaneRound, type RedisRounds } from "../redis-rounds.ts";
import { startStage } from "../stage.ts";
import { hourMs, minuteMs, secondMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

const idleMs = 10 * secondMs;
/** Between two passes, so that there is time in which nobody has to ask the service anything. */
const everyMs = 20 * secondMs;

/**
 * A step that a look came too early for is looked at again after 15 s, whatever the scale; until then it is
 * watched.
 */
const lookAgainMs = 17 * secondMs;

interface Cost {
  /** Of passes: each lists a range that ends, a look at what is watched one that does not. */
  readonly pages: number;
  /** Round trips to Redis, of the connection that ledger, lanes and limits share. */
  readonly rounds: number;
  /** Of them those that only lanes made, for pages, and for looks at what is watched. */
  readonly roundsForPages: number;
  readonly roundsForLooks: number;
  /** Scripts and commands that Redis was sent, on all connections. */
  readonly commands: number;
  readonly looks: number;
  readonly batches: number;
  readonly deletes: number;
  /** Service calls while nothing was there and nothing was watched. */
  readonly idleCalls: readonly string[];
}

export async function cost(world: World): Promise<readonly Figure[]> {
  const count = world.isSmall ? 2_000 : 10_000;
  // Counts, not times: they may be taken side by side.
  const [without, withLanes] = await Promise.all([
    measure(world, "cost-without", "none", count),
    measure(world, "cost-with", "scaled", count),
  ]);
  const perPageOf = (of: (one: Cost) => number) => ({
    without: of(without) / without.pages,
    withLanes: of(withLanes) / withLanes.pages,
  });
  const both = (what: string, of: (one: Cost) => number): Figure => {
    const { without: one, withLanes: other } = perPageOf(of);
    return shown(`${what} per page, without and with lanes`, `${one.toFixed(2)}, ${other.toFixed(2)}`);
  };
  return [
    shown("pages listed, without and with lanes", `${without.pages}, ${withLanes.pages}`),
    both("Redis round trips", (one) => one.rounds),
    // What shares a round trip is what was sent in the same turn: on a busy machine less is.
    timed(
      atMost(
        "Redis round trips that only lanes make, per page",
        withLanes.roundsForPages / withLanes.pages,
        1,
      ),
    ),
    shown("the same for looks, in all", String(withLanes.roundsForLooks)),
    exactly("the same without lanes", without.roundsForPages + without.roundsForLooks, 0),
    both("Redis commands", (one) => one.commands),
    shown("listings for looks, without and with lanes", `${without.looks}, ${withLanes.looks}`),
    both("batches", (one) => one.batches),
    both("deletes", (one) => one.deletes),
    exactly("service calls while nothing is watched, without lanes", without.idleCalls.length, 0),
    exactly("service calls while nothing is watched, with lanes", withLanes.idleCalls.length, 0),
    ...[...without.idleCalls, ...withLanes.idleCalls].map((call) => shown("such a call", call)),
  ];
}

async function measure(world: World, name: string, lane: "none" | "scaled", count: number): Promise<Cost> {
  const { scale } = world;
  let rounds: RedisRounds | null = null;
  const stage = await startStage(world, {
    name,
    // So that pages come one after the other, and only where there is something to do.
    env: { REDRIVER_WINDOWS_CONCURRENCY: "1", REDRIVER_SWEEP_EVERY: "15s", REDRIVER_PASSES_OVERLAP: "2m" },
    drain: {
      lane,
      publishPerSecond: null,
      perHostPerSecond: null,
      minAgeMs: 0,
      everyMs: scale.factor * everyMs,
      fullMs: scale.factor * hourMs,
      censusMs: scale.factor * hourMs,
    },
    redisPathOf: async (port) => {
      rounds = await startRedisRounds(port);
      return rounds.port;
    },
  });
  try {
    const { emulator, redis } = stage;
    const { url } = stage.receiver;
    const isEmpty = async (): Promise<boolean> => {
      const { dlqSize, pending } = await emulator.state();
      return dlqSize === 0 && pending === 0;
    };
    await stage.seed({ name: "first", count: 700, url });
    await stage.startDaemons();
    if (!(await isSoon(isEmpty, 60_000))) throw new Error("the first ones are not drained within a minute");
    await delay(scale.here(2 * minuteMs));

    await stage.seed({ name: "counted", count, url, agoMs: [minuteMs, secondMs] });
    const calls = async (): Promise<number> => sumOfCalls(await redis.info("commandstats"));
    const [roundsBefore, callsBefore, from] = [rounds!.of(core).length, await calls(), Date.now()];
    if (!(await isSoon(isEmpty, 120_000, 50))) throw new Error("the counted ones are not drained");
    const to = Date.now();
    const counted = rounds!.of(core).slice(roundsBefore);
    const callsAfter = await calls();
    const alone = counted.map(toLaneRound).filter((round) => round?.isAlone === true);
    await delay(scale.here(4 * minuteMs) + lookAgainMs);
    const calledAfter = Date.now();
    const isPassBegun = async (): Promise<boolean> =>
      (await emulator.journal("request")).some((one) => one.at > calledAfter && isOfPass(one));
    if (!(await isSoon(isPassBegun, 2 * everyMs, 50))) throw new Error("no pass came");
    await delay(secondMs);
    const idleFrom = Date.now();
    await delay(idleMs);
    const idleTo = Date.now();
    const requests = await emulator.journal("request");
    const during = requests.filter(({ at }) => at >= from && at < to);
    const of = (operation: string): number => during.filter((one) => one.operation === operation).length;
    const listings = during.filter(({ operation }) => operation === "list");
    const looks = listings.filter((one) => !isOfPass(one)).length;
    return {
      pages: listings.length - looks,
      looks,
      rounds: counted.length,
      roundsForPages: alone.filter((round) => round?.isOfPage === true).length,
      roundsForLooks: alone.filter((round) => round?.isOfPage === false).length,
      commands: callsAfter - callsBefore,
      batches: of("batch"),
      deletes: of("delete"),
      idleCalls: requests.filter(({ at }) => at >= idleFrom && at < idleTo).map(toCallText),
    };
  } finally {
    await stage.close();
    await (rounds as RedisRounds | null)?.close();
  }
}

type Request = Pick<EntryOf<"request">, "operation" | "query">;

const isOfPass = ({ operation, query }: Request): boolean => operation === "list" && query.includes("toDate");

const toCallText = ({ operation, query }: Request): string => `${operation} ${query}`.slice(0, 80);

/** Of the connection for commands; BullMQ has its own. */
const core = "redriver-commands";

/** What clients sent: what a script calls is counted by Redis too, and scripts call neither of these. */
function sumOfCalls(stats: string): number {
  return [...stats.matchAll(/^cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/gm)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}
