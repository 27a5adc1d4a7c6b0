/**
 * What lanes are held to (docs/internals/lanes-in-detail.md), with everything in a process of its own: Redis, the emulator,
 * receivers, and the built daemon. Time is scaled: durations are as much shorter, and limits as much higher,
 * as --scale says. It is judged by what the emulator and the receivers wrote down; what only a daemon can
 * tell is asked of it.
 *
 *     npm run lanes                                    all scenarios, one after the other
 *     npm run lanes -- dead back                       some of them
 *     npm run lanes -- --ci                            small forms side by side, within six minutes
 *     npm run lanes -- dead --dead-letters 5000 --dead-as hanging
 *     npm run lanes -- dead --without-lanes            to see it fail
 *         [--scale 30] [--seed 1] [--side-by-side 1] [--results file] [--program dist/main.js]
 *         [--turned-up] [--half-turned-up] [--again]
 *
 * With --turned-up daemons work 64 windows at once and 16 pages of each; with the other those of every second
 * scenario do.
 *
 * With --again the last run is counted, and those scenarios are run anew that missed times and rates only.
 *
 * Exits 1 if something did not hold, 2 if it was used wrongly. What the processes said is kept in
 * .cache/lanes-runs.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { countChecks, toTable, type ScenarioResult } from "../rig/figures.ts";
import { startGuard } from "../rig/guard.ts";
import { createMachine } from "../rig/machine.ts";
import {
  areCounts,
  builtProgram,
  createSay,
  end,
  endWrongUse,
  root,
  runWorks,
  writeResults,
  parseOrEnd,
} from "../rig/program.ts";
import { manners } from "../rig/receiver-messages.ts";
import { toTryAgain, withSecondTry } from "../rig/second-try.ts";
import { chosenWorks, scenarioNames } from "./scenarios.ts";
import { isTurnedUp, toTurnedUp, turnedUpOptions } from "../rig/turned-up.ts";
import { copyTurnedUp, turnedUpEnv } from "../rig/turned-up-program.ts";
import { createTimeScale } from "./time-scale.ts";

const { values, positionals } = parseOrEnd({
  allowPositionals: true,
  options: {
    ci: { type: "boolean", default: false },
    scale: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    "dead-letters": { type: "string" },
    "dead-as": { type: "string", default: "refusing" },
    "without-lanes": { type: "boolean", default: false },
    "side-by-side": { type: "string" },
    again: { type: "boolean", default: false },
    results: { type: "string" },
    program: { type: "string", default: builtProgram },
    ...turnedUpOptions,
  },
});
const unknown = positionals.filter((name) => !scenarioNames.some((known) => known === name));
const deadAs = manners.find((one) => one === values["dead-as"] && one !== "up");
const scale = Number(values.scale);
const seed = Number(values.seed);
const deadLetters = Number(values["dead-letters"] ?? (values.ci ? 2_000 : 50_000));
const sideBySide = Number(values["side-by-side"] ?? (values.ci ? 4 : 1));
// The shortest watch that a document may have is 2 s.
const isRight = scale >= 1 && scale <= 30 && areCounts(seed, deadLetters, sideBySide);
if (unknown.length > 0 || deadAs === undefined || deadAs === "up" || !isRight) {
  endWrongUse(
    `scenarios among ${scenarioNames.join(", ")}, --scale from 1 to 30, --dead-as among ${manners.slice(1).join(", ")}, and counts above 0`,
  );
}

/** The small forms have some hundreds of dead letters. */
const turnedUpSizes = { recordsPerPage: 25, pages: 2, splitFrom: 1 } as const;
const dir = resolve(root, ".cache/lanes-runs", String(seed));
const figuresFile = resolve(dir, "figures.json");
const before = values.again ? (JSON.parse(readFileSync(figuresFile, "utf8")) as ScenarioResult[]) : null;
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const guard = startGuard();
const machine = createMachine();
const startedAt = performance.now();
const say = createSay();
const turnedUp = toTurnedUp(values);
const program = resolve(values.program);
const turnedUpProgram =
  turnedUp === "none" ? program : copyTurnedUp(program, resolve(dir, "turned-up"), turnedUpSizes);
const works = chosenWorks(new Set(positionals), (index) => ({
  scale: createTimeScale(scale),
  seed,
  deadLetters,
  isSmall: values.ci,
  deadAs,
  withoutLanes: values["without-lanes"],
  ...(isTurnedUp(turnedUp, index) ? { program: turnedUpProgram, env: turnedUpEnv } : { program, env: {} }),
  dir,
  guard,
  say,
}));
const again = before === null ? null : toTryAgain(before);
const latest = await runWorks(
  works.filter(({ name }) => again === null || again.has(name)),
  sideBySide,
  say,
);
const { results, passedAtSecondTry } = withSecondTry(before ?? latest, latest);
machine.close();
guard.close();
const checks = countChecks(results);
writeFileSync(figuresFile, `${JSON.stringify(results, null, 2)}\n`);
writeResults(values.results, checks, { passedAtSecondTry });
const late = (100 * machine.latenessMs()) / (performance.now() - startedAt);
end(
  `${toTable(results)}
this machine kept this process waiting for ${late.toFixed(1)} % of the time
${checks.passed} passed, ${checks.failed} failed
`,
  checks.failed,
);
