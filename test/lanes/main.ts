/**
 * What lanes are held to (docs/internals/lanes-in-detail.md), with everything in a process of its own: Redis, the emulator,
 * receivers, and the built daemon. Time is scaled: durations are as much shorter, and limits as much higher,
 * as the scale says. It is judged by what the emulator and the receivers wrote down; what only a daemon can
 * tell is asked of it.
 *
 *     npm run lanes                                    all scenarios, one after the other
 *     npm run lanes -- outage flap                     some of them
 *     npm run lanes -- --ci                            small forms side by side, within six minutes
 *     npm run lanes -- outage --without-lanes          to see it fail
 *         [--side-by-side 1] [--results file] [--again]
 *
 * With --again the last run is counted, and those scenarios are run anew that missed times and rates only.
 *
 * Exits 1 if something did not hold, 2 if it was used wrongly. What the processes said is kept in
 * .cache/lanes-runs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { countChecks, toTable, type ScenarioResult } from "../rig/figures.ts";
import { startGuard } from "../rig/guard.ts";
import {
  areCounts,
  chooseOrEnd,
  createSay,
  end,
  endWrongUse,
  makeEmpty,
  root,
  runWorks,
  writeResults,
  parseOrEnd,
} from "../rig/program.ts";
import { toTryAgain, withSecondTry } from "../rig/second-try.ts";
import { scenarios } from "./scenarios.ts";
import { createTimeScale } from "./time-scale.ts";

const { values, positionals } = parseOrEnd({
  allowPositionals: true,
  options: {
    ci: { type: "boolean", default: false },
    "without-lanes": { type: "boolean", default: false },
    "side-by-side": { type: "string" },
    again: { type: "boolean", default: false },
    results: { type: "string" },
  },
});
const chosen = chooseOrEnd(positionals, Object.keys(scenarios));
const sideBySide = Number(values["side-by-side"] ?? (values.ci ? 4 : 1));
if (!areCounts(sideBySide)) endWrongUse("a count above 0");

/** The shortest watch that a document may have is 2 s. */
const scale = 30;
const dir = resolve(root, ".cache/lanes-runs");
const figuresFile = resolve(dir, "figures.json");
const before = values.again ? (JSON.parse(readFileSync(figuresFile, "utf8")) as ScenarioResult[]) : null;
makeEmpty(dir);
const guard = startGuard();
const say = createSay();
const world = {
  scale: createTimeScale(scale),
  deadLetters: values.ci ? 2_000 : 50_000,
  isSmall: values.ci,
  withoutLanes: values["without-lanes"],
  dir,
  guard,
  say,
};
const again = before === null ? null : toTryAgain(before);
const latest = await runWorks(
  chosen
    .filter((name) => again === null || again.has(name))
    .map((name) => ({ name, run: () => scenarios[name]!(world) })),
  sideBySide,
  say,
);
const { results, passedAtSecondTry } = withSecondTry(before ?? latest, latest);
guard.close();
const checks = countChecks(results);
writeFileSync(figuresFile, `${JSON.stringify(results, null, 2)}\n`);
writeResults(values.results, checks, { passedAtSecondTry });
end(
  `${toTable(results)}
${checks.passed} passed, ${checks.failed} failed
`,
  checks.failed,
);
