/**
 * What the console is held to in docs/internals/benchmarks.md: how soon a page shows something, how large it is, and what open
 * tabs cost. Two replicas have parked a backlog in a Redis of their own.
 *
 *     npm run bench -- console                     100,000 parked, 500 kinds of failure, about nine minutes
 *     npm run bench -- console --quick             5,000 parked, short looks, within two minutes
 *
 * Exits 1 if something did not hold, 2 if it was used wrongly. What the processes said is kept in
 * .cache/bench-console.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";
import { chromiumArgs, chromiumPath } from "../../support/chromium.ts";
import { createClosing } from "../../support/closing.ts";
import { countChecks, toTable, type ScenarioResult } from "../../rig/figures.ts";
import { startGuard } from "../../rig/guard.ts";
import { createSay, end, endWrongUse, makeEmpty, parseOrEnd, root, runWorks } from "../../rig/program.ts";
import { describeMachine } from "../machine.ts";
import { timeFirstPaint } from "./first-paint.ts";
import { weighTabs } from "./open-tabs.ts";
import { openScene } from "./scene.ts";
import { findPages } from "./screens.ts";

const { quick } = parseOrEnd({ options: { quick: { type: "boolean", default: false } } }).values;
const rounds = quick ? 2 : 5;
const ms = quick ? 10_000 : 60_000;
const parked = quick ? 5_000 : 100_000;
const failures = 500;
if (!existsSync(chromiumPath)) endWrongUse(`${chromiumPath}; apt-get install chromium`);

const dir = resolve(root, ".cache/bench-console");
makeEmpty(dir);
const say = createSay();
const guard = startGuard();
process.once("SIGINT", () => guard.close());
const machine = describeMachine();
const closing = createClosing();
closing.add(() => Promise.resolve(guard.close()));

async function measure(): Promise<readonly ScenarioResult[]> {
  const scene = await openScene({ dir, guard, say, parked, failures });
  closing.add(() => scene.close());
  const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumArgs] });
  closing.add(() => browser.close());
  const { url } = scene;
  const pages = await findPages(url);
  const pathOf = (name: string): string => pages.find((page) => page.name === name)?.path ?? "/";
  const [now, list, one] = [pathOf("Now"), pathOf("Failures"), pathOf("Failure")];
  const tabs = [now, now, now, list, list, one, one, "/plans", "/rules", "/indexes"];
  const works = [
    { name: "first paint", run: () => timeFirstPaint(browser, { url, pages, rounds }) },
    { name: "ten tabs of Now", run: () => weighTabs(scene, { paths: tabs.map(() => now), ms }) },
    { name: "ten tabs of six screens", run: () => weighTabs(scene, { paths: tabs, ms }) },
  ];
  return runWorks(works, 1, say);
}

let results: readonly ScenarioResult[];
try {
  results = await measure();
} finally {
  await closing.close();
}
const counts = countChecks(results);
end(`${toTable(results)}\n\n${parked} parked, ${failures} kinds of failure; ${machine}\n`, counts.failed);
