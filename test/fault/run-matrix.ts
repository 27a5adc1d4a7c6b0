import { randomUUID } from "node:crypto";
import type { Guard } from "../rig/guard.ts";
import { chooseKills, countPassings } from "./choose-kills.ts";
import type { Kill } from "./kill.ts";
import { createMachine, type Machine } from "../rig/machine.ts";
import { isTurnedUp, type TurnedUp } from "../rig/turned-up.ts";
import { runCase, type CaseResult } from "./run-case.ts";

export interface MatrixOrder {
  readonly redisUrl: string;
  readonly guard: Guard;
  readonly seed: number;
  /** How many, or exactly this one. */
  readonly kills: number | Kill;
  /** Which cases work many windows and pages at once: the recorded run is the first. */
  readonly turnedUp: TurnedUp;
  /**
   * Cases that run at once at most: they wait most of their time, and fewer run while the machine is busy.
   */
  readonly sideBySide: number;
  /** Called with each case as it ends. */
  readonly onCase: (result: CaseResult) => void;
}

export interface MatrixResult {
  readonly seed: number;
  /** The run in which nothing died. */
  readonly recorded: CaseResult;
  /** How often each failpoint was passed in it. */
  readonly passings: ReadonlyMap<string, number>;
  readonly cases: readonly CaseResult[];
  readonly tookMs: number;
}

/** Records which failpoints there are, then ends daemons at as many as asked, each in a case of its own. */
export async function runMatrix(order: MatrixOrder): Promise<MatrixResult> {
  const startedAt = performance.now();
  const machine = createMachine();
  const recorded = await runOne(order, machine, null, 0);
  const passings = countPassings(recorded.passed);
  const kills =
    typeof order.kills === "number" ? chooseKills(recorded.passed, order.kills, order.seed) : [order.kills];
  const waiting = [...kills.entries()];
  const cases: CaseResult[] = [];
  let running = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      await machine.room(() => running);
      const next = waiting.shift();
      if (next === undefined) return;
      const [index, kill] = next;
      running += 1;
      const result = await runOne(order, machine, kill, index);
      running -= 1;
      cases.push(result);
      order.onCase(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(order.sideBySide, kills.length) }, worker));
  machine.close();
  return { seed: order.seed, recorded, passings, cases, tookMs: performance.now() - startedAt };
}

/** A case that could not be run to its end is one that did not keep what was promised. */
async function runOne(
  { redisUrl, guard, turnedUp }: MatrixOrder,
  machine: Machine,
  kill: Kill | null,
  index: number,
): Promise<CaseResult> {
  const ofCase = { kill, isTurnedUp: isTurnedUp(turnedUp, index) };
  try {
    const keyPrefix = `fault-${randomUUID().slice(0, 8)}`;
    return await runCase({ redisUrl, guard, keyPrefix, machine, ...ofCase });
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      ...ofCase,
      atWork: { windows: 0, pages: 0 },
      reached: null,
      messages: 0,
      lost: 0,
      doubles: [],
      stallMs: 0,
      stallInDoubtMs: 0,
      stallInLaneMs: 0,
      stalled: null,
      violations: [`the case did not come to its end: ${why}`],
      passed: [],
      passedByOthers: new Set(),
      logs: "",
    };
  }
}
