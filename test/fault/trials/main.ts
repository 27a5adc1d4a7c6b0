/**
 * Faults together, against the built daemon as it is shipped: what either does alone is tried elsewhere.
 * Redis, the emulator, a receiver and the daemons are processes of their own; takeover and deduplication
 * window are the real ones, so a trial takes minutes. It is judged by what the emulator and the receiver
 * wrote down.
 *
 *     npm run trials -- --list
 *     npm run trials -- poison-lost-20 deletes-lost-6cps
 *     npm run trials -- --all
 *     npm run trials -- --ci                         small forms side by side, within five minutes
 *
 * Exits 1 if something did not hold, 2 if it was used wrongly. What the processes said is kept in .cache/trials-runs.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { countChecks, toTable } from "../../rig/figures.ts";
import { startGuard } from "../../rig/guard.ts";
import {
  chooseOrEnd,
  createSay,
  end,
  endWrongUse,
  root,
  runWorks,
  writeResults,
  parseOrEnd,
} from "../../rig/program.ts";
import { runTrial } from "./run-trial.ts";
import { trials } from "./trials.ts";
import type { Trial } from "./trial.ts";

const { values, positionals } = parseOrEnd({
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    ci: { type: "boolean", default: false },
  },
});
if (values.list) {
  for (const { name, count, bounds } of trials) {
    process.stdout.write(`${name.padEnd(22)} ${String(count).padStart(6)}, within ${bounds.doneWithinS} s\n`);
  }
  process.exit(0);
}
const known = trials.map(({ name }) => name);
const chosen = chooseOrEnd(positionals, known);
if (positionals.length === 0 && !values.all && !values.ci) {
  endWrongUse(`trials among ${known.join(", ")}, or --all, --ci or --list`);
}

const dir = resolve(root, ".cache/trials-runs");
const guard = startGuard();
const say = createSay();
const works = trials
  .filter(({ name }) => chosen.includes(name))
  .flatMap((trial) => (values.ci ? toSmall(trial) : [trial]))
  .map((trial) => ({ name: trial.name, run: () => perform(trial) }));
const results = await runWorks(works, values.ci ? trials.length : 1, say);
guard.close();
const checks = countChecks(results);
writeResults(resolve(root, ".cache/trials-results.json"), checks);
end(`${toTable(results)}\n${checks.passed} passed, ${checks.failed} failed\n`, checks.failed);

/** One without a small form is left out. It is not watched beyond its time. */
function toSmall(trial: Trial): readonly Trial[] {
  const { small, bounds } = trial;
  if (small === undefined) return [];
  const doneWithinS = small.doneWithinS ?? 120;
  return [{ ...trial, count: small.count, bounds: { ...bounds, doneWithinS }, watchedS: doneWithinS }];
}

function perform(trial: Trial): ReturnType<typeof runTrial> {
  rmSync(resolve(dir, trial.name), { recursive: true, force: true });
  say(`${trial.name}: ${trial.count} dead letters`);
  return runTrial(trial, { dir, guard, say });
}
