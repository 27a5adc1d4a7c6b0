/** What every program of the rig does around its scenarios. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { CheckCounts, Figure, ScenarioResult } from "./figures.ts";

/** Of the repository, seen from the compiled program in `.cache/<name>/test/rig`. */
export const root = resolve(import.meta.dirname, "../../../..");
export const builtProgram = resolve(root, "dist/main.js");

export type Say = (line: string) => void;

/** To stderr, with the seconds since now before each line. */
export function createSay(): Say {
  const startedAt = performance.now();
  return (line) => {
    process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} ${line}\n`);
  };
}

export interface Work {
  readonly name: string;
  readonly run: () => Promise<readonly Figure[]>;
}

/**
 * So many side by side at most; results in the order of the works. One that could not be run has failed a
 * check.
 */
export async function runWorks(
  works: readonly Work[],
  sideBySide: number,
  say: Say,
): Promise<readonly ScenarioResult[]> {
  const results = new Map<Work, ScenarioResult>();
  const waiting = [...works];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results.set(next, await runWork(next, say));
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  return works.flatMap((work) => results.get(work) ?? []);
}

async function runWork({ name, run }: Work, say: Say): Promise<ScenarioResult> {
  const from = performance.now();
  say(`${name} begins`);
  let figures: readonly Figure[];
  try {
    figures = await run();
  } catch (error) {
    figures = [{ what: "could be run", seen: String(error).slice(0, 200), limit: "yes", holds: false }];
  }
  const tookMs = performance.now() - from;
  say(`${name} took ${(tookMs / 1_000).toFixed(1)} s`);
  return { scenario: name, figures, tookMs };
}

/** Counts as .ci/run reads them, and what else the program has to say. */
export function writeResults(
  file: string | undefined,
  { passed, failed }: CheckCounts,
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (file === undefined) return;
  mkdirSync(dirname(resolve(file)), { recursive: true });
  const results = { numPassedTests: passed, numFailedTests: failed, ...more };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * Ends this process when `text` has left, with 1 when a check has failed: what is still open belongs to
 * nobody any more.
 */
export function end(text: string, failed: number): void {
  process.stdout.write(text, () => process.exit(failed > 0 ? 1 : 0));
}

/** As `parseArgs`; ends this process if it was used wrongly. */
export function parseOrEnd<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return endWrongUse(`known flags: ${(error as Error).message}`);
  }
}

/** Those of `known` that are named, in their order, and all if none is. Ends this process if another is. */
export function chooseOrEnd<Name extends string>(
  named: readonly string[],
  known: readonly Name[],
): readonly Name[] {
  const chosen = named.length === 0 ? known : known.filter((name) => named.includes(name));
  return chosen.length < named.length ? endWrongUse(`names among ${known.join(", ")}`) : chosen;
}

/** A folder for what a run writes, without what an earlier one did. */
export function makeEmpty(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
}

export function endWrongUse(expected: string): never {
  process.stderr.write(`expected ${expected}\n`);
  process.exit(2);
}

/** Whole numbers above 0. */
export const areCounts = (...all: readonly number[]): boolean =>
  all.every((one) => Number.isSafeInteger(one) && one > 0);
