/**
 * The random soak: three daemons of the built program, a Redis, the emulator, a receiver and the paths
 * between them, all of them broken at random for as long as it lasts, while dead letters keep coming. What
 * must hold is in verdict.ts; it is judged from the emulator's journal. The same seed and minutes plan the
 * same acts at the same times, with the same service and the same dead letters; what each act meets is up to
 * the machine, so a second run may end otherwise.
 *
 *     npm run soak -- [--minutes 10] [--seed 1] [--results file] [--half-turned-up]
 *
 * With --half-turned-up every second daemon works 64 windows at once and 16 pages of each.
 *
 * Exits 1, and says the seed, when something that must hold does not; 2 when the soak itself could not be
 * made. What the daemons said, and what was done to them, is kept in .cache/soak-runs/<seed> then.
 */
import { createWriteStream, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { builtProgram, endWrongUse, parseOrEnd, root, writeResults } from "../rig/program.ts";
import { runSoak } from "./run-soak.ts";
import { toText } from "./report.ts";
import { turnedUpOptions } from "../rig/turned-up.ts";

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
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const acts = createWriteStream(resolve(dir, "acts.log"));
const startedAt = performance.now();
const say = (line: string): void => {
  const stamped = `${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} ${line}`;
  acts.write(`${new Date().toISOString()} ${stamped}\n`);
  process.stderr.write(`${stamped.slice(0, 200)}\n`);
};

try {
  const report = await runSoak({
    seed,
    durationMs: minutes * 60_000,
    program: builtProgram,
    dir,
    turnedUp: values["half-turned-up"] ? "half" : "none",
    say,
  });
  writeFileSync(resolve(dir, "report.json"), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${toText(report)}\n`);
  const failed = report.checks.filter(({ violations }) => violations > 0).length;
  const passed = report.checks.length - failed;
  writeResults(values.results, { passed, failed });
  if (failed === 0) {
    // What was broken and what came of it is enough.
    for (const name of readdirSync(dir)) {
      if (name !== "report.json" && name !== "acts.log")
        rmSync(resolve(dir, name), { recursive: true, force: true });
    }
  }
  if (failed > 0) {
    process.stderr.write(
      `soak: --minutes ${minutes} --seed ${seed} plans the same acts again, but not their timing: what is broken may not show again; evidence is in ${dir}\n`,
    );
  }
  process.exitCode = failed > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`soak: could not be made: ${String(error)}\n`);
  process.exitCode = 2;
}
// Whatever is still open belongs to nobody any more.
process.stdout.write("", () => process.exit());
