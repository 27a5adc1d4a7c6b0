import { setTimeout as delay } from "node:timers/promises";
import type { DlqId } from "../../src/message/dead-letter.ts";
import { startDaemonProcess, type DaemonDeath, type DaemonProcess } from "./daemon-process.ts";
import {
  findDoubles,
  findLost,
  isAtRest,
  isStaying,
  judgeAnyMoment,
  judgeEnd,
  type Double,
} from "./judge.ts";
import { leaveBehind } from "./leave-behind.ts";
import type { Machine } from "./machine.ts";
import { observe, type Observation } from "./observe.ts";
import { horizonMs, sweepEveryMs, takeoverAfterMs } from "./scenario.ts";
import { createStand, type Stand } from "./stand.ts";

/** One death and what came of it. */
export interface Kill {
  readonly failpoint: string;
  readonly crash: "process" | "power";
}

export interface CaseResult {
  readonly kill: Kill | null;
  /** Whether the daemon died there; without, its work ended before it came by. */
  readonly reached: boolean;
  readonly messages: number;
  readonly lost: number;
  readonly doubles: readonly Double[];
  /** Longest wait of a dead letter after the restart, ms: of those with one POST at most, and of those whose batch was refused. */
  readonly stallMs: number;
  readonly stallInDoubtMs: number;
  /** What is not as promised, a sentence each. */
  readonly violations: readonly string[];
  /** Failpoints that the first daemon passed, in order. */
  readonly passed: readonly string[];
  /** The end of the daemons' logs, where something was not as promised. */
  readonly logs: string;
}

/** The index's backlog is gone this long after the first start. */
const guardOpensAfterMs = 2_500;
const lookEveryMs = 250;
/** What may be added to a wait that the ledger's clock bounds: a start, a job's lock, a failed delete's backoff, a page. */
const slackMs = 12_000;
/** Several processes stand in line behind each other where this one does. */
const linesPerLateness = 4;
const giveUpAfterMs = 180_000;

export interface CaseParts {
  readonly redisUrl: string;
  readonly keyPrefix: string;
  readonly machine: Machine;
  /** Null: nothing dies; what is passed is recorded. */
  readonly kill: Kill | null;
}

/** Seeds, runs a daemon until it dies at the failpoint, restarts it, waits until everything is where it belongs, and judges. */
export async function runCase({ redisUrl, keyPrefix, machine, kill }: CaseParts): Promise<CaseResult> {
  const stand = await createStand(redisUrl, keyPrefix);
  const violations: string[] = [];
  let daemon: DaemonProcess | null = null;
  try {
    await leaveBehind(stand);
    stand.misbehave();
    const guard = openGuardLater(stand);
    const first = startDaemonProcess(
      stand,
      kill === null ? {} : { target: kill.failpoint, crash: kill.crash },
    );
    daemon = first;
    const death = await Promise.race([first.died, first.started.then(() => whenDone(stand, first.died))]);
    const reached = death?.signal === "SIGKILL";
    if (death !== null && !reached) violations.push(`the daemon ended with ${String(death.exitCode)}`);
    let restartedAt = Number.POSITIVE_INFINITY;
    const lateBefore = machine.latenessMs();
    if (reached) {
      violations.push(...judgeAnyMoment(await observe(stand)).map((one) => `at the death: ${one}`));
      const second = startDaemonProcess(stand, {});
      daemon = second;
      const started = await Promise.race([second.started, second.died]);
      if (typeof started !== "number") throw new Error("the daemon did not come back");
      restartedAt = started;
      const end = await whenDone(stand, second.died);
      if (end !== null) violations.push("the daemon died again by itself");
    }
    await daemon.kill();
    await Promise.all(Object.values(stand.emulators).map((emulator) => emulator.idle()));
    guard.cancel();
    const seen = await observe(stand);
    const stalls = measureStalls(seen, Math.max(restartedAt, guard.openedAt()), restartedAt);
    violations.push(...judgeAnyMoment(seen), ...judgeEnd(seen));
    const slack = slackMs + linesPerLateness * (machine.latenessMs() - lateBefore);
    violations.push(...judgeStalls(stalls, slack));
    return {
      kill,
      reached,
      messages: seen.letters.length,
      lost: findLost(seen).length,
      doubles: findDoubles(seen),
      ...stalls,
      violations,
      passed: first.passed(),
      logs: violations.length > 0 ? `${await dumpQueue(stand)}\n${tailOf(stand)}` : "",
    };
  } finally {
    await daemon?.kill();
    await stand.close();
  }
}

/** Resolves when everything is where it belongs, with the daemon's death if that comes first, and with null when it takes too long. */
async function whenDone(stand: Stand, died: Promise<DaemonDeath>): Promise<DaemonDeath | null> {
  const deadline = Date.now() + giveUpAfterMs;
  while (Date.now() < deadline) {
    if (await isDone(stand)) return null;
    const death = await Promise.race([died, delay(lookEveryMs, null)]);
    if (death !== null) return death;
  }
  return null;
}

/** Cheap questions first: this is asked all the time. */
async function isDone(stand: Stand): Promise<boolean> {
  const staying = stand.letters.filter(({ fate }) => isStaying(fate));
  for (const [name, { dlq, pending }] of Object.entries(stand.emulators)) {
    if (pending > 0 || dlq.size !== staying.filter(({ source }) => source === name).length) return false;
  }
  for (const { runtime } of stand.core.sources.values()) {
    if ((await runtime.ledger.summary()).pendingDelete > 0) return false;
    const copies = staying.filter(({ fate, source }) => fate === "copied" && source === runtime.config.id);
    if (copies.length === 0) continue;
    if ((await runtime.copies.missing(copies.map(({ dlqId }) => dlqId as DlqId))).length > 0) return false;
  }
  const { letters, ledger } = await observe(stand);
  return letters.every(({ fate, dlqId }) => isAtRest(fate, ledger.get(dlqId) ?? "absent"));
}

function openGuardLater(stand: Stand): { openedAt(): number; cancel(): void } {
  let openedAt = Number.POSITIVE_INFINITY;
  const timer = setTimeout(() => {
    openedAt = Date.now();
    stand.openGuard();
  }, guardOpensAfterMs);
  return { openedAt: () => openedAt, cancel: () => clearTimeout(timer) };
}

interface Stalls {
  readonly stallMs: number;
  readonly stallInDoubtMs: number;
}

/** How long after the restart each was settled, from when on it could be. `guardOpenAt` counts for what the guard held. */
function measureStalls({ letters, deleted }: Observation, guardOpenAt: number, restartedAt: number): Stalls {
  let stallMs = 0;
  let stallInDoubtMs = 0;
  for (const { dlqId, key, since, mayBeRefused } of letters) {
    const settledAt = deleted.find((one) => one.dlqId === dlqId)?.at;
    if (settledAt === undefined || settledAt < restartedAt) continue;
    const from = Math.max(since, key.startsWith("guarded") ? guardOpenAt : restartedAt);
    if (mayBeRefused) stallInDoubtMs = Math.max(stallInDoubtMs, settledAt - from);
    else stallMs = Math.max(stallMs, settledAt - from);
  }
  return { stallMs, stallInDoubtMs };
}

function judgeStalls({ stallMs, stallInDoubtMs }: Stalls, slack: number): readonly string[] {
  const bound = Math.round(takeoverAfterMs + sweepEveryMs + slack);
  const boundInDoubt = Math.round(horizonMs + sweepEveryMs + slack);
  return [
    ...(stallMs > bound ? [`something waited ${stallMs} ms, more than ${bound} ms`] : []),
    ...(stallInDoubtMs > boundInDoubt
      ? [`something in doubt waited ${stallInDoubtMs} ms, more than ${boundInDoubt} ms`]
      : []),
  ];
}

/** Where the jobs of the short queue are, as BullMQ keeps them. */
async function dumpQueue({ core }: Stand): Promise<string> {
  const { keyPrefix } = core.settings.redis;
  const base = `{${keyPrefix}}:${keyPrefix}-v1-short`;
  const ask = async (...words: readonly [string, ...string[]]): Promise<string> =>
    JSON.stringify(await core.redis.command(...words));
  return [
    `now ${Date.now()}`,
    `repeat ${await ask("ZRANGE", `${base}:repeat`, "0", "-1", "WITHSCORES")}`,
    `delayed ${await ask("ZRANGE", `${base}:delayed`, "0", "-1", "WITHSCORES")}`,
    `active ${await ask("LRANGE", `${base}:active`, "0", "-1")}`,
    `wait ${await ask("LRANGE", `${base}:wait`, "0", "-1")}`,
    `failed ${await ask("ZRANGE", `${base}:failed`, "0", "-1")}`,
    `stalled ${await ask("SMEMBERS", `${base}:stalled`)}`,
    `keys ${await ask("KEYS", `${base}:repeat:sweep*`)}`,
  ].join("\n");
}

function tailOf(stand: Stand): string {
  return stand.logs().slice(-2_000_000);
}
