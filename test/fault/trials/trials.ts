/** The trials: which faults act together, and what each is held to. */
import { setTimeout as delay } from "node:timers/promises";
import type { FaultDefinition } from "../../../dev/emulator/index.ts";
import type { Play, Trial } from "./trial.ts";

/** It was accepted, or deleted, and nobody hears of it. */
const lostAnswers = (operation: "batch" | "delete" | "retry", probability: number): FaultDefinition => ({
  kind: "drop-answer",
  name: `lost-${operation}`,
  operation,
  probability,
});

const failing = (operation: "batch" | "delete" | "any", probability: number): FaultDefinition => ({
  kind: "status",
  name: `failing-${operation}`,
  operation,
  status: 500,
  probability,
});

/** What the service's own retry may meet: it has no effect, or has one and says otherwise. */
const failingRetries: readonly FaultDefinition[] = (["before", "after"] as const).map((when) => {
  return {
    kind: "status",
    name: `failing-${when}`,
    operation: "retry",
    status: 500,
    when,
    probability: 0.025,
  };
});
const byService = { binary: 0.4, redacted: 0.3, callback: 0.3 } as const;

const callsPerSecond = (limit: number): Record<string, unknown> => ({
  rateLimits: { dlq: { limit, windowMs: 1_000 } },
});

const threeMinutes = { doneWithinS: 180, declaredShare: 0 } as const;
/**
 * Into the time in which what is in doubt goes out again under another id, seven minutes after it was sent.
 */
const untilDoubledS = 600;
const small = { count: 600 } as const;

export const trials: readonly Trial[] = [
  {
    name: "poison-lost-20",
    count: 5_000,
    shares: { poison: 0.01 },
    faults: [lostAnswers("batch", 0.2)],
    bounds: threeMinutes,
    watchedS: untilDoubledS,
    small,
  },
  {
    name: "all-at-once",
    count: 10_000,
    shares: { poison: 0.01, refused: 0.05 },
    faults: [
      lostAnswers("batch", 0.2),
      failing("batch", 0.1),
      lostAnswers("delete", 0.2),
      failing("delete", 0.2),
    ],
    service: { order: "latestFirst", ...callsPerSecond(50) },
    bounds: { doneWithinS: 600, declaredShare: 0.005 },
    // No small form: what a 500 and a refusal leave in doubt waits for seven minutes, however few there are.
  },
  // 20,000 of 100 a page: 200 lists and 200 deletes are 400 calls, 67 s at 6 a second, if none
  // is lost. As windows cut them they are 293 and 217: 85 s and 51 s.
  {
    name: "deletes-lost-6cps",
    count: 20_000,
    faults: [lostAnswers("delete", 0.2)],
    service: callsPerSecond(6),
    bounds: { doneWithinS: 360, declaredShare: 0, stallS: 75 },
    // Of 600 there are nine deletes, of which none or one would be lost.
    small: { count: 5_000 },
  },
  // 30 pages of one window. A killed worker's window comes back within a minute, and most of its workers die in it.
  {
    name: "kills-40",
    count: 3_000,
    replicas: 2,
    shares: { poison: 0.001 },
    faults: [{ kind: "latency", name: "slow", operation: "any", ms: 1_000 }, lostAnswers("batch", 0.03)],
    bounds: { doneWithinS: 900, declaredShare: 0.005, stallS: 60, refusedMayWaitAfterS: 60 },
    watchedS: 900,
    meanwhile: killTimes(40),
  },
  {
    name: "ends-its-worker",
    count: 3_000,
    replicas: 2,
    shares: { poison: 0.001, deadly: 0.0004 },
    faults: [lostAnswers("batch", 0.03)],
    deadlyAt: "work",
    bounds: { doneWithinS: 300, declaredShare: 0 },
    watchedS: 600,
  },
  {
    name: "ends-its-lister",
    count: 600,
    replicas: 2,
    shares: { deadly: 0.0017 },
    faults: [lostAnswers("batch", 0.03)],
    deadlyAt: "list",
    // It is never read, so nobody knows an id to park.
    bounds: { doneWithinS: 600, declaredShare: 0, refusedMayWaitAfterS: 0 },
    watchedS: 900,
  },
  {
    name: "via-service",
    count: 2_000,
    replicas: 2,
    shares: byService,
    faults: [lostAnswers("retry", 0.2), ...failingRetries],
    bounds: { doneWithinS: 600, declaredShare: 0 },
    watchedS: 600,
    meanwhile: killTimes(12),
    small: { count: 300, doneWithinS: 480 },
  },
  {
    name: "source-accepts-hits",
    count: 600,
    shares: { poison: 0.05 },
    faults: [lostAnswers("batch", 1)],
    bounds: { doneWithinS: 240, declaredShare: 0, isNeverHalted: true, refusedMayWaitAfterS: 90 },
    watchedS: untilDoubledS,
    meanwhile: hearAgain,
    // Answers may be lost for 60 s. What was begun last is taken over 60 s later, and swept within 15 s more.
    small: { count: 300, doneWithinS: 150 },
  },
  {
    name: "odd-items",
    count: 1_000,
    faults: [
      // A whole batch and some: nothing else of it is accepted.
      { kind: "item-error", count: 113, answer: "msg_1", published: true },
      ...["msg_1", null, 5, {}].map((answer): FaultDefinition => ({
        kind: "item-error",
        probability: 0.02,
        answer,
        published: true,
      })),
      // Not published: whoever takes this for a message id deletes what nobody has.
      { kind: "item-error", probability: 0.02, answer: { messageId: " " } },
    ],
    bounds: { doneWithinS: 300, declaredShare: 0 },
    // A refusal is tried again after ten minutes.
    watchedS: 780,
    // One in ten answers is odd: three tries, a takeover apart.
    small: { count: 300, doneWithinS: 280 },
  },
];

/** One replica after the other, by the dice, each a few seconds after it has begun; its next process starts at once. */
function killTimes(times: number): NonNullable<Trial["meanwhile"]> {
  return async ({ stack, dice, isOver, say }) => {
    for (let made = 0; made < times && !isOver(); made += 1) {
      const daemon = dice.pick(stack.daemons);
      while (daemon.address() === null && !isOver()) await delay(50);
      await pause(dice.whole(2_000, 6_000), isOver);
      await daemon.kill();
      daemon.start();
    }
    say("the last kill is made");
  };
}

/** As long as answers are lost, all that can be accepted is; from then on there are hits only, and poison. */
async function hearAgain({ stack, books, isOver, say }: Play): Promise<void> {
  const deadline = Date.now() + 60_000;
  const isAccepted = (): boolean =>
    [...books.judge.letters.values()].every(
      ({ letter, acceptances }) => letter.fate === "stay" || acceptances.length > 0,
    );
  while (!isOver() && !isAccepted() && Date.now() < deadline) await delay(200);
  await stack.emulator.control("DELETE", "/faults/lost-batch");
  say(`answers arrive again, ${isAccepted() ? "all" : "not all"} is accepted`);
}

async function pause(ms: number, isOver: () => boolean): Promise<void> {
  for (const until = Date.now() + ms; Date.now() < until && !isOver();) await delay(250);
}
