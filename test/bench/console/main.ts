/**
 * What the console is held to in docs/internals/benchmarks.md: how soon a page shows something, how large it is, what open tabs
 * cost, and that replicas show the same. Two daemons of two replicas have parked a backlog in a Redis of their own.
 *
 *     npm run bench -- console                     100,000 parked, 500 kinds of failure, about nine minutes
 *     npm run bench -- console --quick             5,000 parked, short looks, within two minutes
 *     npm run bench -- console --only paint,tabs some parts
 *         [--rounds 5] [--seconds 60] [--parked 100000] [--failures 500] [--program dist/main.js] [--results file]
 *
 * Exits 1 if something did not hold, 2 if it was used wrongly. What the processes said is kept in
 * .cache/bench-console.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";
import { chromiumArgs, chromiumPath } from "../../support/chromium.ts";
import { createClosing } from "../../support/closing.ts";
import { countChecks, toTable, type ScenarioResult } from "../../rig/figures.ts";
import { startGuard } from "../../rig/guard.ts";
import {
  areCounts,
  builtProgram,
  createSay,
  end,
  endWrongUse,
  parseOrEnd,
  root,
  runWorks,
  writeResults,
  type Work,
} from "../../rig/program.ts";
import { describeMachine } from "../machine.ts";
import { timeFirstPaint } from "./first-paint.ts";
import { weighTabs } from "./open-tabs.ts";
import { compareInMotion, compareAtRest } from "./replicas.ts";
import { openScene } from "./scene.ts";
import { findPages } from "./screens.ts";

const { values } = parseOrEnd({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "paint,tabs,replicas" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    parked: { type: "string" },
    failures: { type: "string", default: "500" },
    program: { type: "string", default: builtProgram },
    results: { type: "string" },
  },
});
const { quick } = values;
const rounds = Number(values.rounds ?? (quick ? 2 : 5));
const seconds = Number(values.seconds ?? (quick ? 10 : 60));
const parked = Number(values.parked ?? (quick ? 5_000 : 100_000));
const failures = Number(values.failures);
const parts = values.only.split(",");
if (!areCounts(rounds, seconds, parked, failures)) endWrongUse("whole counts above 0");
if (parts.some((part) => !["paint", "tabs", "replicas"].includes(part))) {
  endWrongUse("--only with paint, tabs, replicas");
}
if (!existsSync(chromiumPath)) endWrongUse(`${chromiumPath}; apt-get install chromium`);

const dir = resolve(root, ".cache/bench-console");
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const say = createSay();
const guard = startGuard();
process.once("SIGINT", () => guard.close());
const machine = describeMachine();
const closing = createClosing();
closing.add(() => Promise.resolve(guard.close()));
const ms = seconds * 1_000;

async function measure(): Promise<readonly ScenarioResult[]> {
  const scene = await openScene({ dir, program: resolve(values.program), guard, say, parked, failures });
  closing.add(() => scene.close());
  const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumArgs] });
  closing.add(() => browser.close());
  const url = scene.consoles[0]!;
  const pid = scene.stack.daemons[0]!.pid()!;
  const pages = await findPages(url);
  const pathOf = (name: string): string => pages.find((page) => page.name === name)?.path ?? "/";
  const [now, list, one] = [pathOf("Now"), pathOf("Failures"), pathOf("Failure")];
  const tabs = [now, now, now, list, list, one, one, "/plans", "/rules", "/indexes"];
  const works: readonly (Work & { readonly part: string })[] = [
    { part: "paint", name: "first paint", run: () => timeFirstPaint(browser, { url, pid, pages, rounds }) },
    {
      part: "tabs",
      name: "ten tabs of Now",
      run: () => weighTabs(scene, { paths: tabs.map(() => now), ms }),
    },
    { part: "tabs", name: "ten tabs of six screens", run: () => weighTabs(scene, { paths: tabs, ms }) },
    { part: "replicas", name: "two replicas at rest", run: () => compareAtRest(scene) },
    {
      part: "replicas",
      name: "two replicas in motion",
      run: () => compareInMotion(scene, quick ? 500 : 2_000),
    },
  ];
  const chosen = works.filter(({ part }) => parts.includes(part));
  return runWorks(chosen, 1, say);
}

let results: readonly ScenarioResult[];
try {
  results = await measure();
} finally {
  await closing.close();
}
const counts = countChecks(results);
writeResults(values.results, counts, { results });
end(`${toTable(results)}\n\n${parked} parked, ${failures} kinds of failure; ${machine}\n`, counts.failed);
