/**
 * What lanes are held to (docs/lanes.md), with everything in a process of its own: Redis, the emulator, receivers, and the built daemon. Time is
 * scaled: durations are as much shorter, and limits as much higher, as --scale says. It is judged by what the emulator and the receivers
 * wrote down; what only a daemon can tell is asked of it.
 *
 *     npm run lanes                                    all scenarios, one after the other
 *     npm run lanes -- dead back                       some of them
 *     npm run lanes -- --ci                            small forms side by side, within three minutes
 *     npm run lanes -- dead --dead-letters 5000 --dead-as hanging
 *     npm run lanes -- dead --without-lanes            to see it fail
 *         [--scale 30] [--seed 1] [--side-by-side 1] [--results file] [--program dist/main.js]
 *
 * Exits 1 where something did not hold, 2 where it was used wrongly. What the processes said is kept in .cache/lanes-runs.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createMachine } from "../rig/machine.ts";
import { startGuard } from "../rig/guard.ts";
import { countChecks, toTable, type ScenarioResult } from "../rig/figures.ts";
import { standings } from "../rig/receiver-messages.ts";
import { chosenWorks, scenarioNames, type Work } from "./scenarios.ts";
import { createTimeScale } from "./time-scale.ts";
import type { World } from "./world.ts";

const root = resolve(import.meta.dirname, "../../../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ci: { type: "boolean", default: false },
    scale: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    "dead-letters": { type: "string" },
    "dead-as": { type: "string", default: "refusing" },
    "without-lanes": { type: "boolean", default: false },
    "side-by-side": { type: "string" },
    results: { type: "string" },
    program: { type: "string", default: resolve(root, "dist/main.js") },
  },
});
const unknown = positionals.filter((name) => !scenarioNames.some((known) => known === name));
const deadAs = standings.find((one) => one === values["dead-as"] && one !== "up");
const scale = Number(values.scale);
const seed = Number(values.seed);
const deadLetters = Number(values["dead-letters"] ?? (values.ci ? 2_000 : 50_000));
const sideBySide = Number(values["side-by-side"] ?? (values.ci ? 5 : 1));
// The shortest watch that a document may have is 2 s.
const isRight =
  scale >= 1 &&
  scale <= 30 &&
  [seed, deadLetters, sideBySide].every((one) => Number.isSafeInteger(one) && one > 0);
if (unknown.length > 0 || deadAs === undefined || deadAs === "up" || !isRight) {
  process.stderr.write(
    `expected scenarios among ${scenarioNames.join(", ")}, --scale from 1 to 30, --dead-as among ${standings.slice(1).join(", ")}, and counts above 0\n`,
  );
  process.exit(2);
}

const dir = resolve(root, ".cache/lanes-runs", String(seed));
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const guard = startGuard();
const machine = createMachine();
const startedAt = performance.now();
const say = (line: string): void => {
  process.stderr.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} ${line}\n`);
};
const world: World = {
  scale: createTimeScale(scale),
  seed,
  deadLetters,
  isSmall: values.ci,
  deadAs,
  withoutLanes: values["without-lanes"],
  program: resolve(values.program),
  dir,
  guard,
  say,
};

const works = chosenWorks(new Set(positionals), world);
const results: ScenarioResult[] = [];
const waiting = [...works];
await Promise.all(
  Array.from({ length: sideBySide }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results.push(await perform(next));
  }),
);
machine.close();
const inOrder = works.flatMap(({ name }) => results.filter(({ scenario }) => scenario === name));
const { passed, failed } = countChecks(inOrder);
writeFileSync(resolve(dir, "figures.json"), `${JSON.stringify(inOrder, null, 2)}\n`);
if (values.results !== undefined) {
  writeFileSync(values.results, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
}
guard.close();
const late = (100 * machine.latenessMs()) / (performance.now() - startedAt);
process.stdout.write(`${toTable(inOrder)}\n`);
// What waits for its turn here waits in every process: watches of 2 s bear little of it.
process.stdout.write(`this machine kept this process waiting for ${late.toFixed(1)} % of the time\n`, () => {
  process.stdout.write(`${passed} passed, ${failed} failed\n`, () => process.exit(failed > 0 ? 1 : 0));
});

async function perform({ name, run }: Work): Promise<ScenarioResult> {
  const from = performance.now();
  say(`${name} begins`);
  try {
    const figures = await run();
    return { scenario: name, figures, tookMs: performance.now() - from };
  } catch (error) {
    const seen = String(error).slice(0, 200);
    return {
      scenario: name,
      figures: [{ what: "could be run", seen, limit: "yes", holds: false }],
      tookMs: performance.now() - from,
    };
  } finally {
    say(`${name} took ${((performance.now() - from) / 1_000).toFixed(1)} s`);
  }
}
