import { setTimeout as delay } from "node:timers/promises";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import { startFaultyDaemon, type DaemonDeath, type FaultyDaemon } from "./faulty-daemon.ts";
import type { AtWork } from "../support/at-work.ts";
import type { Guard } from "../rig/guard.ts";
import { isSettled, isStaying, judgeAnyMoment, judgeEnd } from "./judge.ts";
import { leaveBehind } from "./leave-behind.ts";
import { toFaults, type Fault, type Kill, type KillKind } from "./kill.ts";
import type { Machine } from "../rig/machine.ts";
import { missingEffects } from "./missing-effects.ts";
import { knownLetters, observe, readJournals, type KnownLetter, type Observation } from "./observe.ts";
import {
  grantLifeMs,
  horizonMs,
  lanePathMs,
  shutdownHardMs,
  sweepEveryMs,
  takeoverAfterMs,
} from "./scenario.ts";
import { createStand, sourceNames, type Stand } from "./stand.ts";
import { broken, late, type Violation } from "./violation.ts";

/** `key`: of the dead letter that waited. */
interface Stall {
  readonly ms: number;
  readonly key: string;
}

/**
 * How long after the last daemon had started, or from when on it could be settled, the last dead letter
 * was. `inDoubt`: of those whose outcome no answer could prove, which wait for the end of their window
 * by design. `inLane`: of the others of the drain with a lane, which wait for its steps, and for a grant to
 * be forgotten whose worker died.
 */
export type Stalls = Readonly<Record<"plain" | "inDoubt" | "inLane", Stall>>;

const none: Stall = { ms: 0, key: "none" };
export const noStalls: Stalls = { plain: none, inDoubt: none, inLane: none };

export interface CaseResult {
  readonly kill: Kill | null;
  readonly isTurnedUp: boolean;
  /** What a daemon of it had at work at once, at most. */
  readonly atWork: AtWork;
  /**
   * What the daemons came by; null: none ended there, because the work was done before. A second death that
   * was not reached leaves a `kill`.
   */
  readonly reached: KillKind | null;
  readonly messages: number;
  readonly lost: number;
  /** Acceptances more than one: by which word the audit declared each; null: none, which is a violation. */
  readonly doubles: readonly (string | null)[];
  readonly stalls: Stalls;
  readonly violations: readonly Violation[];
  /** Failpoints that the first daemon passed, in order. */
  readonly passed: readonly string[];
  /** Those that the daemons after it passed. */
  readonly passedByOthers: ReadonlySet<string>;
  /** The end of the daemons' logs, where something was not as promised. */
  readonly logs: string;
}

/**
 * The index's backlog is gone this long after the first start, once the guard was seen closed; without, after
 * the longest.
 */
const guardOpensAfterMs = 2_500;
const guardOpensAfterAtMostMs = 15_000;
const lookEveryMs = 250;
/** Who waits for the end of a window does so for many seconds. */
const looksPerDoubt = 4;
/**
 * What may be added to a wait that the ledger's clock bounds: a start, a job's lock, a failed delete's
 * backoff, a page.
 */
const slackMs = 12_000;
/** What may be added to a daemon's own deadline, and what one that is stopped twice may take. */
const endSlackMs = 2_000;
/** Several processes stand in line behind each other where this one does. */
const linesPerLateness = 4;
const giveUpAfterMs = 180_000;
/** A lane opens by itself some seconds after its last message, later on a slow machine. Most runs wait for none. */
const recordForMs = 60_000;

export interface CaseParts {
  readonly redisUrl: string;
  readonly guard: Guard;
  readonly keyPrefix: string;
  readonly machine: Machine;
  /** Null: nothing dies; what is passed is recorded. */
  readonly kill: Kill | null;
  /** Whether its daemons work many windows and pages at once. */
  readonly isTurnedUp: boolean;
}

/**
 * Seeds, runs daemons until each has ended as it was to, and one more until everything is where it belongs,
 * and judges.
 */
export async function runCase(parts: CaseParts): Promise<CaseResult> {
  const { redisUrl, guard, keyPrefix, machine, kill, isTurnedUp } = parts;
  const stand = await createStand(redisUrl, keyPrefix, isTurnedUp);
  const violations: Violation[] = [];
  const daemons: FaultyDaemon[] = [];
  const unprovable = new Set<string>();
  const faults = toFaults(kill);
  let ends = 0;
  let restartedAt = Number.POSITIVE_INFINITY;
  try {
    await leaveBehind(stand);
    stand.misbehave();
    const opening = openGuardLater(stand, () => daemons.some((daemon) => daemon.passed().some(isGuardNoted)));
    let lateBefore = machine.latenessMs();
    const lateMs = (): number => linesPerLateness * (machine.latenessMs() - lateBefore);
    for (const fault of [...faults, null]) {
      lateBefore = machine.latenessMs();
      const daemon = startFaultyDaemon(stand, fault, guard);
      daemons.push(daemon);
      const started = await Promise.race([daemon.started, daemon.died]);
      if (typeof started === "number" && ends > 0) restartedAt = started;
      const death = await endOf(stand, daemon, unprovable);
      if (kill === null && death === null) await untilRecorded(daemon);
      if (death === null) break;
      violations.push(...judgeDeath(death, fault, lateMs()));
      if (fault === null) break;
      ends += 1;
      const wrong = judgeNow(stand, await observe(stand));
      violations.push(...wrong.map((one) => broken(`at death ${ends}: ${one}`)));
    }
    await daemons.at(-1)?.kill();
    await Promise.all(Object.values(stand.emulators).map((emulator) => emulator.idle()));
    opening.cancel();
    const seen = await observe(stand);
    const from = { restartedAt, guardOpenAt: Math.max(restartedAt, opening.openedAt()) };
    const stalls = measureStalls(seen.letters, unprovable, from);
    for (const name of sourceNames) stand.books[name].judgeQueue(stand.emulators[name].dlq);
    violations.push(
      ...[...judgeNow(stand, seen), ...judgeEnd(seen)].map(broken),
      ...judgeStalls(stalls, slackMs + lateMs()).map(late),
    );
    const judges = sourceNames.map((name) => stand.books[name].judge);
    const rules = judges.flatMap((judge) => judge.violations.map(({ rule }) => rule));
    const atWork = daemons.map((daemon) => daemon.atWork());
    return {
      kill,
      isTurnedUp,
      atWork: {
        windows: Math.max(...atWork.map(({ windows }) => windows)),
        pages: Math.max(...atWork.map(({ pages }) => pages)),
      },
      reached: kill === null || ends === 0 ? null : ends < faults.length ? "kill" : kill.kind,
      messages: seen.letters.length,
      lost: rules.filter((rule) => rule === "lost" || rule === "deleted-unproven").length,
      doubles: [
        ...judges.flatMap((judge) => judge.doubles.map(({ why }) => why)),
        ...rules.filter((rule) => rule === "doubled").map(() => null),
      ],
      stalls,
      violations,
      passed: daemons[0]?.passed() ?? [],
      passedByOthers: new Set(daemons.slice(1).flatMap((daemon) => daemon.passed())),
      logs: violations.length > 0 ? stand.logs().slice(-2_000_000) : "",
    };
  } finally {
    await daemons.at(-1)?.kill();
    await stand.close();
  }
}

/**
 * Answers what is not as promised at this moment, a sentence each; what the books have found is in all later
 * ones too.
 */
function judgeNow({ books }: Stand, seen: Observation): readonly string[] {
  const found = sourceNames.flatMap((name) => books[name].judge.violations);
  return [...found.map(({ rule, text }) => `${rule}: ${text}`), ...judgeAnyMoment(seen)];
}

/** Null when all work is done before; a daemon that has heard that it is to stop has its time for that. */
async function endOf(
  stand: Stand,
  daemon: FaultyDaemon,
  unprovable: Set<string>,
): Promise<DaemonDeath | null> {
  const death = await whenDone(stand, daemon.died, unprovable);
  return death === null && daemon.isStopping() ? daemon.died : death;
}

/** What is wrong with this end of a daemon. */
function judgeDeath(
  { end, stoppingMs }: DaemonDeath,
  fault: Fault | null,
  lateMs: number,
): readonly Violation[] {
  if (fault === null) return [broken(`the daemon ended by itself with ${end}`)];
  const { kind } = fault;
  const expected = { kill: "SIGKILL", stop: 0, "stop-twice": "SIGTERM" }[kind];
  const boundMs = (kind === "stop" ? shutdownHardMs : 0) + endSlackMs + lateMs;
  return [
    ...(end === expected ? [] : [broken(`the daemon, to end with ${expected}, ended with ${end}`)]),
    ...(stoppingMs === null || stoppingMs <= boundMs
      ? []
      : [late(`the daemon took ${Math.round(stoppingMs)} ms to stop`)]),
  ];
}

/**
 * Resolves when everything is where it belongs, with the daemon's death if that comes first, and with null
 * when it takes too long.
 */
async function whenDone(
  stand: Stand,
  died: Promise<DaemonDeath>,
  unprovable: Set<string>,
): Promise<DaemonDeath | null> {
  const deadline = Date.now() + giveUpAfterMs;
  for (let look = 0; Date.now() < deadline; look += 1) {
    readJournals(stand);
    if (look % looksPerDoubt === 0) {
      for (const { dlqId, isUnprovable } of await knownLetters(stand))
        if (isUnprovable) unprovable.add(dlqId);
    }
    if (await isDone(stand)) return null;
    const death = await Promise.race([died, delay(lookEveryMs, null)]);
    if (death !== null) return death;
  }
  return null;
}

/** Cheap questions first: this is asked all the time. */
async function isDone(stand: Stand): Promise<boolean> {
  const staying = stand.letters.filter(({ ending }) => isStaying(ending));
  for (const [name, { dlq, pending }] of Object.entries(stand.emulators)) {
    if (pending > 0 || dlq.size !== staying.filter(({ source }) => source === name).length) return false;
  }
  for (const { runtime } of stand.core.sources.values()) {
    if ((await runtime.ledger.summary()).pendingDelete > 0) return false;
    const copies = staying.filter(
      ({ ending, source }) => ending === "copied" && source === runtime.config.id,
    );
    if (copies.length === 0) continue;
    if ((await runtime.copies.missing(copies.map(({ dlqId }) => dlqId as DlqId))).length > 0) return false;
  }
  return (await knownLetters(stand)).every(({ ending, state }) => isSettled(ending, state));
}

/** The recorded run names the places to die at, so it goes on until its daemon came by each effect. */
async function untilRecorded(daemon: FaultyDaemon): Promise<void> {
  const deadline = Date.now() + recordForMs;
  while (missingEffects(daemon.passed()).length > 0 && Date.now() < deadline) await delay(lookEveryMs);
}

function isGuardNoted(passed: string): boolean {
  return passed.endsWith("guardBook.record:after");
}

/** What a guard never held, its opening does not let go. */
function openGuardLater(stand: Stand, wasClosed: () => boolean): { openedAt(): number; cancel(): void } {
  const begunAt = performance.now();
  let openedAt = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    const forMs = performance.now() - begunAt;
    if (forMs < guardOpensAfterMs || (forMs < guardOpensAfterAtMostMs && !wasClosed())) return;
    clearInterval(timer);
    openedAt = Date.now();
    stand.openGuard();
  }, lookEveryMs);
  return { openedAt: () => openedAt, cancel: () => clearInterval(timer) };
}

/**
 * How long each took to be settled, from when on it could be. `guardOpenAt` counts for what the guard held.
 */
function measureStalls(
  letters: readonly KnownLetter[],
  unprovable: ReadonlySet<string>,
  { restartedAt, guardOpenAt }: { readonly restartedAt: number; readonly guardOpenAt: number },
): Stalls {
  const stalls = { ...noStalls };
  for (const { dlqId, key, since, deleted } of letters) {
    if (deleted === null || deleted.at < restartedAt) continue;
    const ms = deleted.at - Math.max(since, key.startsWith("guarded") ? guardOpenAt : restartedAt);
    const kind = unprovable.has(dlqId) ? "inDoubt" : key.startsWith("lane-") ? "inLane" : "plain";
    if (ms > stalls[kind].ms) stalls[kind] = { ms, key };
  }
  return stalls;
}

const stallBoundsMs: Readonly<Record<keyof Stalls, number>> = {
  plain: takeoverAfterMs + sweepEveryMs,
  inDoubt: horizonMs + sweepEveryMs,
  inLane: grantLifeMs + sweepEveryMs + lanePathMs,
};

function judgeStalls(stalls: Stalls, slack: number): readonly string[] {
  return (["plain", "inDoubt", "inLane"] as const).flatMap((kind) => {
    const { ms, key } = stalls[kind];
    const boundMs = Math.round(stallBoundsMs[kind] + slack);
    return ms > boundMs ? [`${key} waited ${ms} ms (${kind}), more than ${boundMs} ms`] : [];
  });
}
