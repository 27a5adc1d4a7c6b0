/**
 * What redriver is held to: redriver, the loop over the official client, and the same
 * calls with undici alone, side by side in one run. The service and Redis are processes of their own.
 *
 *     npm run bench                              all lines but the million, about ten minutes
 *     npm run bench -- --quick                   some lines, mostly with 5,000 messages, within 90 s
 *     npm run bench -- --million                 1,000,000 messages
 *     npm run bench -- --only cpu,redis          some lines
 *     npm run bench -- --contenders loop,run --n 20000 --latency 0,25 --replicas 2
 *                                                no lines, only these
 *         [--n 100000] [--write] [--results file] [--program dist/main.js] [--env NAME=VALUE]... [--cpu-prof DIR]
 *
 * Exits 1 if something did not hold, 2 if it was used wrongly. `--quick` and `--contenders` hold nothing to a
 * time: they fail only if a message was lost or doubled. What the processes said is kept in .cache/bench-runs.
 */
import { resolve } from "node:path";
import {
  countChecks,
  exactly,
  shown,
  toGrid,
  toTable,
  type Figure,
  type ScenarioResult,
} from "../rig/figures.ts";
import { startGuard } from "../rig/guard.ts";
import {
  areCounts,
  chooseOrEnd,
  builtProgram,
  createSay,
  end,
  endWrongUse,
  makeEmpty,
  parseOrEnd,
  root,
  runWorks,
  writeResults,
} from "../rig/program.ts";
import { lineNames, lines, quickLines, quickMessages } from "./lines/lines.ts";
import { isDeliveredOnce } from "./lines/ratios.ts";
import { createWorld } from "./lines/world.ts";
import { describeMachine } from "./machine.ts";
import { toSideBySide } from "./side-by-side.ts";
import { contenders } from "./stand/case.ts";
import { writeFigures } from "./write-figures.ts";

const { values } = parseOrEnd({
  options: {
    quick: { type: "boolean", default: false },
    million: { type: "boolean", default: false },
    only: { type: "string" },
    contenders: { type: "string" },
    latency: { type: "string", default: "0,25" },
    replicas: { type: "string", default: "1" },
    n: { type: "string" },
    write: { type: "boolean", default: false },
    results: { type: "string" },
    program: { type: "string", default: builtProgram },
    env: { type: "string", multiple: true, default: [] },
    "cpu-prof": { type: "string" },
  },
});
const messages = Number(values.n ?? (values.quick ? quickMessages : 100_000));
const replicas = Number(values.replicas);
const latencies = values.latency.split(",").map(Number);
const chosenContenders =
  values.contenders === undefined ? null : chooseOrEnd(values.contenders.split(","), contenders);
const usualLines = values.quick ? quickLines : lineNames.filter((name) => name !== "million");
const chosenLines = values.million
  ? (["million"] as const)
  : values.only === undefined
    ? usualLines
    : chooseOrEnd(values.only.split(","), lineNames);
const isRight =
  areCounts(messages, replicas) &&
  values.latency.split(",").every((ms) => /^\d+$/.test(ms)) &&
  values.env.every((pair) => pair.includes("="));
if (!isRight) endWrongUse("whole counts above 0, latencies in ms, and settings as NAME=VALUE");
const chosen = [values.quick, values.million, values.only !== undefined, values.contenders !== undefined];
if (chosen.filter(Boolean).length > 1) endWrongUse("one of --quick, --million, --only and --contenders");
if (values.write && chosen.some(Boolean)) endWrongUse("--write with all lines: it replaces all figures");

const dir = resolve(root, ".cache/bench-runs");
makeEmpty(dir);
const machine = describeMachine();
const guard = startGuard();
const say = createSay();
const world = createWorld(
  {
    dir,
    guard,
    program: resolve(values.program),
    profiles: values["cpu-prof"] === undefined ? null : resolve(values["cpu-prof"]),
  },
  messages,
  { env: Object.fromEntries(values.env.map((pair) => pair.split(/=(.*)/s, 2) as [string, string])) },
  say,
);

const works =
  chosenContenders === null
    ? chosenLines.map((name) => ({ name, run: () => lines[name](world) }))
    : [{ name: "side by side", run: () => sideBySide(chosenContenders) }];
const results = await runWorks(works, 1, say);
guard.close();
const isTimed = !values.quick && chosenContenders === null;
const runs = world.measured();
const once = exactly(
  `of ${runs.length} drains, those that lost or doubled a message`,
  runs.filter((one) => !isDeliveredOnce(one)).length,
  0,
);
// Where nothing ran, nothing was delivered once.
const all = runs.length === 0 ? results : [...results, { scenario: "once", figures: [once], tookMs: 0 }];
const judged = isTimed ? all : all.map(withoutTargets);
const checks = countChecks(judged);
writeResults(values.results, checks);
if (values.write) writeFigures({ machine, results: judged, runs });
end(
  `${toGrid(toSideBySide(runs))}

${toTable(judged)}
${machine}
${isTimed ? "" : "nothing here is held to a time; "}${checks.passed} passed, ${checks.failed} failed
`,
  checks.failed,
);

async function sideBySide(chosen: readonly (typeof contenders)[number][]): Promise<readonly Figure[]> {
  for (const latencyMs of latencies) {
    for (const contender of chosen) {
      await world.measure({ contender, latencyMs, replicas: contender === "run" ? replicas : 1 });
    }
  }
  return [];
}

/** What could not be run has failed all the same. */
function withoutTargets(one: ScenarioResult): ScenarioResult {
  if (one.scenario === "once") return one;
  const figures = one.figures.map((figure) =>
    figure.limit === null || figure.what === "could be run"
      ? figure
      : shown(`${figure.what} (${figure.limit}, if it were held to it)`, figure.seen),
  );
  return { ...one, figures };
}
