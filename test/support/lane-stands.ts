import { createRedisLaneBook } from "../../src/job/store/lanes/redis-lane-book.ts";
import type { LaneConfig } from "../../src/job/contracts/drains-document.ts";
import type {
  LaneAnswer,
  LaneBook,
  LaneChange,
  LaneComeBack,
  StepRef,
} from "../../src/job/contracts/lanes.ts";
import { toLaneId } from "../../src/job/message/short-id.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import { drain, source, withMovedTime } from "./ledger-stands.ts";

/** Of the stands where a test says no other. */
export const grantLifeMs = 5 * 60_000;

export interface LaneStand {
  readonly book: LaneBook;
  now(): number;
  advance(ms: number): Promise<void>;
}

/**
 * Lanes on a real server. Every script is run twice, as the client does after a lost reply: the second reply
 * counts.
 */
export function createLaneStand(connection: RedisConnection, lifeMs: number = grantLifeMs): LaneStand {
  const { redis, now, advance } = withMovedTime(connection);
  let calls = 0;
  return {
    book: createRedisLaneBook(redis, source, lifeMs, { token: () => `call-${(calls += 1)}` }),
    now,
    advance,
  };
}

export const config: LaneConfig = {
  canary: 5,
  watchMs: 60_000,
  haltAt: 0.2,
  probeEveryMs: 300_000,
  openFrom: 500,
};
export const origin = "https://api.example.com";
export const lane = toLaneId(drain, origin);

/** What is told of a first step that came through. */
export const moved = (changes: Partial<Extract<LaneChange, { kind: "moved" }>>): LaneChange => ({
  kind: "moved",
  lane,
  drain,
  origin,
  from: "canary",
  to: "ramping",
  size: 50,
  why: "none of 5 failed again",
  sent: 5,
  comeBacks: 0,
  resumeMinutes: [],
  wantsFull: false,
  ...changes,
});

/** One lane with the everyday calls. */
export function driverOf({ book, now, advance }: LaneStand, given: LaneConfig = config) {
  let sentSoFar = 0;
  const driver = {
    async ask(
      wanted: number,
      changes: Partial<LaneConfig> = {},
      resumeMinutes: readonly number[] = [],
    ): Promise<LaneAnswer> {
      const ask = { lane, origin, wanted, resumeMinutes };
      const { answers } = await book.ask(drain, { ...given, ...changes }, [ask]);
      return answers[0]!;
    },
    async sent(step: number, count: number): Promise<void> {
      const roots = Array.from({ length: count }, () => `root-${(sentSoFar += 1)}`);
      await book.sent([{ lane, step, roots }]);
    },
    giveBack: (step: number, count: number, resumeMinutes: readonly number[] = []) =>
      book.giveBack([{ lane, step, count, resumeMinutes }]),
    note: (step: number, kind: LaneComeBack["kind"], parents: readonly string[], status = 503) =>
      book.recordComeBacks(comeBacks(step, kind, parents, status)),
    checked: (step: number, checkedAt = now(), back: readonly LaneComeBack[] = []) =>
      book.checked({ lane, step } satisfies StepRef, checkedAt, back),
    /** Grants and sends a whole step; answers its number. */
    async step(wanted: number, resumeMinutes: readonly number[] = []): Promise<number> {
      const { canaries, step } = await driver.ask(wanted, {}, resumeMinutes);
      await driver.sent(step, canaries);
      return step;
    },
    /** The next step, silent for its watch. */
    async survive(wanted: number, resumeMinutes: readonly number[] = []) {
      const step = await driver.step(wanted, resumeMinutes);
      await advance(given.watchMs);
      return driver.checked(step);
    },
    /** Until the next probe is due. */
    async untilProbe(): Promise<void> {
      const { nextAt } = await driver.view();
      await advance(nextAt! - now());
    },
    /** The next probe is sent and comes back. */
    async probe(kind: LaneComeBack["kind"], status = 503) {
      const step = await driver.step(1);
      return driver.note(step, kind, [`probe-${step}`], status);
    },
    async halt(): Promise<number> {
      const step = await driver.step(given.canary);
      await driver.note(step, "down", ["h1", "h2", "h3"]);
      return step;
    },
    /** From open: eleven of 25 that are sent within half a watch. */
    async failOpen(): Promise<void> {
      const { step } = await driver.ask(1);
      await driver.sent(step, 1);
      await advance(given.watchMs / 2);
      await driver.sent(step, (await driver.ask(24)).canaries);
      await driver.note(step, "down", parents(11, "f"));
    },
    async open(): Promise<void> {
      await driver.survive(5);
      await driver.survive(50);
    },
    async view() {
      const { lanes } = await book.views(1);
      return lanes[0]!;
    },
  };
  return driver;
}

export const parents = (count: number, name = "p"): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

export function comeBacks(
  step: number,
  kind: LaneComeBack["kind"],
  parents: readonly string[],
  status = 503,
): readonly LaneComeBack[] {
  return parents.map((parentDlqId) => ({ lane, step, parentDlqId, kind, status }));
}
