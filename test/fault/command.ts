/**
 * The crash matrix: daemons end between every two effects of the pipeline, the sweep and the archive, once or
 * twice, by SIGKILL or SIGTERM; then a restart, judged by what the services and the receiver saw.
 *
 *     npm run test:fault                              60 of them
 *     npm run test:fault -- --kills 1000 --seed 7 --side-by-side 24
 *     npm run test:fault -- --turned-up               with 64 windows at once and 16 pages of each in flight
 *     npm run test:fault -- --half-turned-up          every second case so
 *     npm run test:fault -- --at "window/ledger.begin:after#2" --crash power
 *     npm run test:fault -- --at "window/ledger.begin:after#2" --kind kill-twice --again "sweep/service.remove:before#1"
 *     npm run test:fault -- --at "window/ledger.begin:after#2" --kind stop-twice
 *     npm run test:fault -- --second-try              alone, the cases of the last run that missed times only
 *
 * Exits 1 if something was not as promised, with the failpoint that shows it again.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRedisServer } from "../../dev/demo/find-or-start-redis.ts";
import { startGuard } from "../rig/guard.ts";
import { areCounts, endWrongUse, parseOrEnd, root } from "../rig/program.ts";
import { toTurnedUp, turnedUpOptions } from "../rig/turned-up.ts";
import { killKinds, toOptions } from "./kill.ts";
import { missingEffects } from "./missing-effects.ts";
import type { CaseResult } from "./run-case.ts";
import { runCases, runMatrix, type CaseKind, type CasesOrder } from "./run-matrix.ts";
import { toLine, toMissed, toTable, toTryAgain, type Missed } from "./summary.ts";

const { values } = parseOrEnd({
  options: {
    kills: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    at: { type: "string" },
    kind: { type: "string", default: "kill" },
    again: { type: "string" },
    crash: { type: "string", default: "process" },
    ...turnedUpOptions,
    // Cases that run at once at most; fewer do while the machine is busy.
    "side-by-side": { type: "string", default: "16" },
    "second-try": { type: "boolean", default: false },
  },
});
const [kills, seed, sideBySide] = [values.kills, values.seed, values["side-by-side"]].map(Number) as [
  number,
  number,
  number,
];
const kind =
  killKinds.find((one) => one === values.kind) ?? endWrongUse(`--kind among ${killKinds.join(", ")}`);
if (!areCounts(kills, seed, sideBySide)) endWrongUse("whole counts above 0");
const say = (text: string): void => void process.stderr.write(text);

const cacheDir = join(root, ".cache");
const resultsFile = join(cacheDir, "test-fault.json");

/** What .ci/run and a second try read. */
interface Written {
  readonly kills: number;
  readonly violations: readonly Missed[];
  readonly tryAgain: readonly CaseKind[];
  readonly missing: readonly string[];
  readonly passedAtSecondTry?: readonly Missed[];
}

const guard = startGuard();
const redis = await findRedisServer({
  env: { PATH: process.env["PATH"], REDRIVER_TEST_REDIS_URL: process.env["REDRIVER_TEST_REDIS_URL"] },
  cacheDir: join(cacheDir, "redis"),
  say: (line) => say(`${line}\n`),
});
const order: CasesOrder = {
  redisUrl: redis.url,
  guard,
  sideBySide,
  onCase: (one) => say(toLine(one)),
};
let failed = true;
try {
  failed = values["second-try"] ? await tryAgain() : await runAll();
} finally {
  await redis.stop();
  guard.close();
}
process.exit(failed ? 1 : 0);

/** Whether something was not as promised. */
async function runAll(): Promise<boolean> {
  const result = await runMatrix({
    ...order,
    seed,
    kills:
      values.at === undefined
        ? kills
        : {
            kind,
            failpoint: values.at,
            crash: values.crash === "power" ? "power" : "process",
            ...(values.again === undefined ? {} : { again: values.again }),
          },
    turnedUp: toTurnedUp(values),
  });
  // On a slow machine the recorded run alone may be over before a lane opens.
  const runs = [result.recorded, ...result.cases];
  const missing = missingEffects(
    runs.flatMap(({ passed, passedByOthers }) => [...passed, ...passedByOthers]),
  );
  mkdirSync(cacheDir, { recursive: true });
  const violations = runs.flatMap(toMissed);
  const reached = result.cases.filter((one) => one.reached !== null).length;
  writeResults({ kills: reached, violations, tryAgain: toTryAgain(runs), missing });
  process.stdout.write(toTable(result));
  for (const name of missing) process.stdout.write(`VIOLATION no death: no daemon came by ${name}\n`);
  for (const name of missingEffects(result.passings.keys())) {
    if (!missing.includes(name))
      process.stdout.write(`no death at ${name}: the recorded run did not come by it\n`);
  }
  keepLogs(runs);
  return violations.length > 0 || missing.length > 0;
}

/** The same, of the cases of the run before which missed times only. */
async function tryAgain(): Promise<boolean> {
  const before = JSON.parse(readFileSync(resultsFile, "utf8")) as Written;
  if (before.tryAgain.length === 0 || before.missing.length > 0) {
    process.stdout.write("nothing is tried again: the run before missed more than times\n");
    return true;
  }
  const again = await runCases({ ...order, sideBySide: 1 }, before.tryAgain);
  const violations = again.flatMap(toMissed);
  const still = new Set(violations.map(({ failpoint }) => failpoint));
  writeResults({
    ...before,
    violations,
    passedAtSecondTry: before.violations.filter(({ failpoint }) => !still.has(failpoint)),
  });
  for (const { failpoint, what } of violations) process.stdout.write(`VIOLATION ${failpoint}: ${what}\n`);
  keepLogs(again);
  return violations.length > 0;
}

function writeResults(results: Written): void {
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
}

/** The daemons' logs of each case that missed something, and the command that shows it again. */
function keepLogs(results: readonly CaseResult[]): void {
  for (const { logs, kill, isTurnedUp, violations } of results) {
    if (violations.length === 0) continue;
    const name = (kill?.failpoint ?? "none").replaceAll(/[^\w.-]+/g, "_");
    const file = join(cacheDir, `test-fault-${name}.log`);
    writeFileSync(file, logs);
    if (kill !== null) {
      process.stdout.write(`again: npm run test:fault -- ${toOptions(kill, isTurnedUp)}; logs in ${file}\n`);
    }
  }
}
