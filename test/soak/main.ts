/**
 * The random soak: three daemons of the built program, a Redis, the emulator, a receiver and the paths
 * between them, all of them broken at random for as long as it lasts, while dead letters keep coming. What
 * must hold is in the judge of the rig; it is judged from the emulator's journal. The same seed and minutes plan the
 * same acts at the same times, with the same service and the same dead letters; what each act meets is up to
 * the machine, so a second run may end otherwise.
 *
 *     npm run soak -- [--minutes 10] [--seed 1] [--results file] [--half-turned-up]
 *
 * With --half-turned-up every second daemon works 64 windows at once and 16 pages of each.
 *
 * Exits 1, and says the seed, when something that must hold does not, or when the soak could not be made; 2 if it was
 * used wrongly. What the daemons said, and what was done to them, is kept in .cache/soak-runs/<seed> then.
 */
import { createWriteStream, readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { countChecks, toTable } from "../rig/figures.ts";
import {
  createSay,
  end,
  endWrongUse,
  makeEmpty,
  parseOrEnd,
  root,
  runWorks,
  writeResults,
} from "../rig/program.ts";
import { turnedUpOptions } from "../rig/turned-up.ts";
import { runSoak } from "./run-soak.ts";

const { values } = parseOrEnd({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    results: { type: "string" },
    "half-turned-up": turnedUpOptions["half-turned-up"],
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const minutes = Number(values.minutes);
if (!Number.isSafeInteger(seed) || !(minutes > 0)) {
  endWrongUse("--minutes above 0 and --seed a whole number");
}

const dir = resolve(root, `.cache/soak-runs/${seed}`);
makeEmpty(dir);
const acts = createWriteStream(resolve(dir, "acts.log"));
const sayAll = createSay();
const say = (line: string): void => {
  acts.write(`${new Date().toISOString()} ${line}\n`);
  sayAll(line.slice(0, 200));
};
const turnedUp = values["half-turned-up"] ? "half" : "none";
const durationMs = minutes * 60_000;
const run = () => runSoak({ seed, durationMs, dir, turnedUp, say });
const results = await runWorks([{ name: `seed ${seed}`, run }], 1, say);
const checks = countChecks(results);
writeResults(values.results, checks);
if (checks.failed > 0) {
  say(
    `--minutes ${minutes} --seed ${seed} plans the same acts again, but not their timing: what is broken may not show again; evidence is in ${dir}`,
  );
} else {
  // What was broken and what came of it is enough.
  for (const name of readdirSync(dir))
    if (name !== "acts.log") rmSync(resolve(dir, name), { recursive: true, force: true });
}
end(`${toTable(results)}\n`, checks.failed);
