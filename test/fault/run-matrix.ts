import { randomUUID } from "node:crypto";
import type { Guard } from "../rig/guard.ts";
import { chooseKills, countPassings } from "./choose-kills.ts";
import type { Kill } from "./kill.ts";
import { createMachine, type Machine } from "../rig/machine.ts";
import { isTurnedUp, type TurnedUp } from "../rig/turned-up.ts";
import { noStalls, runCase, type CaseParts, type CaseResult } from "./run-case.ts";
import { late } from "./violation.ts";

export interface CasesOrder {
  readonly redisUrl: string;
  readonly guard: Guard;
  /**
   * Cases that run at once at most: they wait most of their time, and fewer run while the machine is busy.
   */
  readonly sideBySide: number;
  /** Called with each case as it ends. */
  readonly onCase: (result: CaseResult) => void;
}

export interface MatrixOrder extends CasesOrder {
  readonly seed: number;
  /** How many, or exactly this one. */
  readonly kills: number | Kill;
  /** Which cases work many windows and pages at once: the recorded run is the first. */
  readonly turnedUp: TurnedUp;
}

/** What one case is, so that it can be run again. */
export type CaseKind = Pick<CaseParts, "kill" | "isTurnedUp">;

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
  const { seed, turnedUp } = order;
  const startedAt = performance.now();
  const machine = createMachine();
  const recorded = await runOne(order, machine, { kill: null, isTurnedUp: isTurnedUp(turnedUp, 0) });
  const passings = countPassings(recorded.passed);
  const kills =
    typeof order.kills === "number" ? chooseKills(recorded.passed, order.kills, seed) : [order.kills];
  const kinds = kills.map((kill, index) => ({ kill, isTurnedUp: isTurnedUp(turnedUp, index) }));
  const cases = await runAll(order, machine, kinds);
  machine.close();
  return { seed, recorded, passings, cases, tookMs: performance.now() - startedAt };
}

/** Runs these cases and no other. */
export async function runCases(
  order: CasesOrder,
  kinds: readonly CaseKind[],
): Promise<readonly CaseResult[]> {
  const machine = createMachine();
  const cases = await runAll(order, machine, kinds);
  machine.close();
  return cases;
}

async function runAll(
  order: CasesOrder,
  machine: Machine,
  kinds: readonly CaseKind[],
): Promise<readonly CaseResult[]> {
  const waiting = [...kinds];
  const cases: CaseResult[] = [];
  let running = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      await machine.room(() => running);
      const next = waiting.shift();
      if (next === undefined) return;
      running += 1;
      const result = await runOne(order, machine, next);
      running -= 1;
      cases.push(result);
      order.onCase(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(order.sideBySide, kinds.length) }, worker));
  return cases;
}

/** A case that could not be run to its end is one that did not keep what was promised. */
async function runOne(
  { redisUrl, guard }: CasesOrder,
  machine: Machine,
  kind: CaseKind,
): Promise<CaseResult> {
  try {
    const keyPrefix = `fault-${randomUUID().slice(0, 8)}`;
    return await runCase({ redisUrl, guard, keyPrefix, machine, ...kind });
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      ...kind,
      atWork: { windows: 0, pages: 0 },
      reached: null,
      messages: 0,
      lost: 0,
      doubles: [],
      stalls: noStalls,
      violations: [late(`the case did not come to its end: ${why}`)],
      passed: [],
      passedByOthers: new Set(),
      logs: "",
    };
  }
}
