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
 *
 * Exits 1 if something was not as promised, with the failpoint that shows it again.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRedisServer } from "../../src/demo/find-or-start-redis.ts";
import { startGuard } from "../rig/guard.ts";
import { parseOrEnd, root } from "../rig/program.ts";
import { toTurnedUp, turnedUpOptions } from "../rig/turned-up.ts";
import { killKinds, toOptions, type KillKind } from "./kill.ts";
import { missingEffects } from "./missing-effects.ts";
import { runMatrix } from "./run-matrix.ts";
import { summarise, toLine, toTable } from "./summary.ts";

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
  },
});
const say = (text: string): void => void process.stderr.write(text);

const cacheDir = join(root, ".cache");
const guard = startGuard();
const redis = await findRedisServer({
  env: { PATH: process.env["PATH"], REDRIVER_TEST_REDIS_URL: process.env["REDRIVER_TEST_REDIS_URL"] },
  cacheDir: join(cacheDir, "redis"),
  say: (line) => say(`${line}\n`),
});
let failed = false;
try {
  const result = await runMatrix({
    redisUrl: redis.url,
    guard,
    seed: toCount("seed", values.seed),
    kills:
      values.at === undefined
        ? toCount("kills", values.kills)
        : {
            kind: toKind(values.kind),
            failpoint: values.at,
            crash: values.crash === "power" ? "power" : "process",
            ...(values.again === undefined ? {} : { again: values.again }),
          },
    turnedUp: toTurnedUp(values),
    sideBySide: toCount("side-by-side", values["side-by-side"]),
    onCase: (one) => say(toLine(one)),
  });
  const summary = summarise(result);
  // On a slow machine the recorded run alone may be over before a lane opens.
  const runs = [result.recorded, ...result.cases];
  const missing = missingEffects(
    runs.flatMap(({ passed, passedByOthers }) => [...passed, ...passedByOthers]),
  );
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(join(cacheDir, "test-fault.json"), `${JSON.stringify({ ...summary, missing }, null, 2)}\n`);
  process.stdout.write(toTable(summary));
  for (const name of missing) process.stdout.write(`VIOLATION no death: no daemon came by ${name}\n`);
  for (const name of missingEffects(result.passings.keys())) {
    if (!missing.includes(name))
      process.stdout.write(`no death at ${name}: the recorded run did not come by it\n`);
  }
  const bad = [result.recorded, ...result.cases].filter(({ violations }) => violations.length > 0);
  for (const { logs, kill, isTurnedUp } of bad) {
    const name = (kill?.failpoint ?? "none").replaceAll(/[^\w.-]+/g, "_");
    const file = join(cacheDir, `test-fault-${name}.log`);
    writeFileSync(file, logs);
    if (kill !== null) {
      process.stdout.write(`again: npm run test:fault -- ${toOptions(kill, isTurnedUp)}; logs in ${file}\n`);
    }
  }
  failed = bad.length > 0 || missing.length > 0;
} finally {
  await redis.stop();
  guard.close();
}
process.exit(failed ? 1 : 0);

function toCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new Error(`--${name}: expected a whole number, got ${text}`);
  }
  return count;
}

function toKind(text: string): KillKind {
  const kind = killKinds.find((one) => one === text);
  if (kind === undefined) throw new Error(`--kind: expected one of ${killKinds.join(", ")}, got ${text}`);
  return kind;
}
