/**
 * Faults together, against the built daemon as it is shipped: what either does alone is tried elsewhere. Redis, the emulator, a receiver and the
 * daemons are processes of their own; takeover and deduplication window are the real ones, so a trial takes minutes. It is judged by what the
 * emulator and the receiver wrote down.
 *
 *     npm run trials -- --list
 *     npm run trials -- poison-lost-20 deletes-lost-6cps
 *     npm run trials -- --all
 *     npm run trials -- --ci                         small forms side by side, within five minutes
 *         [--seed 1] [--n 5000] [--side-by-side 1] [--results .cache/trials-results.json]
 *         [--program dist/main.js] [--emulator-program dist/main.js] [--runs .cache/trials-runs]
 *
 * `--program` may be the daemon of another checkout. Exits 1 where something did not hold, 2 where it was used wrongly. What the processes
 * said is kept below --runs.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { countChecks, toTable, type ScenarioResult } from "../../rig/figures.ts";
import { startGuard } from "../../rig/guard.ts";
import { runTrial } from "./run-trial.ts";
import { trials } from "./trials.ts";
import type { Trial } from "./trial.ts";

const root = resolve(import.meta.dirname, "../../../../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    ci: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    n: { type: "string" },
    "side-by-side": { type: "string" },
    results: { type: "string", default: resolve(root, ".cache/trials-results.json") },
    runs: { type: "string", default: resolve(root, ".cache/trials-runs") },
    program: { type: "string", default: resolve(root, "dist/main.js") },
    "emulator-program": { type: "string", default: resolve(root, "dist/main.js") },
  },
});
if (values.list) {
  for (const { name, count, bounds } of trials) {
    process.stdout.write(`${name.padEnd(22)} ${String(count).padStart(6)}, within ${bounds.doneWithinS} s\n`);
  }
  process.exit(0);
}
const unknown = positionals.filter((name) => !trials.some((one) => one.name === name));
const count = values.n === undefined ? null : Number(values.n);
const seed = Number(values.seed);
const sideBySide = Number(values["side-by-side"] ?? (values.ci ? trials.length : 1));
const isRight = [seed, sideBySide, count ?? 1].every((one) => Number.isSafeInteger(one) && one > 0);
const isChosen = positionals.length > 0 || values.all || values.ci;
if (unknown.length > 0 || !isRight || !isChosen) {
  process.stderr.write(
    `expected trials among ${trials.map(({ name }) => name).join(", ")}, or --all, --ci or --list; and counts above 0\n`,
  );
  process.exit(2);
}

const dir = resolve(values.runs, String(seed));
mkdirSync(dir, { recursive: true });
const guard = startGuard();
const startedAt = performance.now();
const say = (line: string): void => {
  process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} ${line}\n`);
};
const chosen = trials
  .filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  .flatMap((trial) => (values.ci ? toSmall(trial) : [trial]))
  .map((trial) => (count === null ? trial : { ...trial, count }));
const waiting = [...chosen];
const results: ScenarioResult[] = [];
await Promise.all(
  Array.from({ length: sideBySide }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results.push(await perform(next));
    }
  }),
);
const inOrder = chosen.flatMap(({ name }) => results.filter(({ scenario }) => scenario === name));
const { passed, failed } = countChecks(inOrder);
mkdirSync(resolve(values.results, ".."), { recursive: true });
writeFileSync(
  values.results,
  `${JSON.stringify({ numPassedTests: passed, numFailedTests: failed, trials: inOrder }, null, 2)}\n`,
);
guard.close();
const summary = inOrder.map(({ scenario, figures }) => {
  const bad = figures.filter(({ holds }) => !holds);
  const why = bad.map(({ what, seen, limit }) => `${what}: ${seen} (${limit})`).join("; ");
  return `${bad.length === 0 ? "pass" : "FAIL"}  ${scenario.padEnd(22)} ${why}`.trimEnd();
});
const text = [toTable(inOrder), "", ...summary, `${passed} passed, ${failed} failed`, ""].join("\n");
process.stdout.write(text, () => process.exit(failed > 0 ? 1 : 0));

/** One without a small form is left out. It is not watched beyond its time. */
function toSmall(trial: Trial): readonly Trial[] {
  const { small, bounds } = trial;
  if (small === undefined) return [];
  const doneWithinS = small.doneWithinS ?? 120;
  return [{ ...trial, count: small.count, bounds: { ...bounds, doneWithinS }, watchedS: doneWithinS }];
}

async function perform(trial: Trial): Promise<ScenarioResult> {
  const from = performance.now();
  rmSync(resolve(dir, trial.name), { recursive: true, force: true });
  say(`${trial.name} begins, ${trial.count} dead letters`);
  const tookMs = (): number => performance.now() - from;
  try {
    const figures = await runTrial(trial, {
      seed,
      dir,
      program: resolve(values.program),
      emulatorProgram: resolve(values["emulator-program"]),
      guard,
      say,
    });
    return { scenario: trial.name, figures, tookMs: tookMs() };
  } catch (error) {
    const seen = String(error).slice(0, 200);
    return {
      scenario: trial.name,
      figures: [{ what: "could be played", seen, limit: "yes", holds: false }],
      tookMs: tookMs(),
    };
  } finally {
    say(`${trial.name} took ${(tookMs() / 1_000).toFixed(1)} s`);
  }
}
