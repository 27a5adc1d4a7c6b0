/**
 * What a drain costs: redriver, the loop over the official client, and the same calls with undici alone, side
 * by side (docs/benchmarks.md). The service and Redis are processes of their own.
 *
 *     npm run bench
 *         [--n 20000] [--latency 0,25] [--contenders floor,loop,drain,run]
 *         [--program dist/main.js] [--env NAME=VALUE]... [--cpu-prof DIR] [--within 600]
 *
 * Exits 1 if a message was lost or doubled, 2 if it was used wrongly. What the processes said is kept in
 * .cache/bench-runs.
 */
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { startGuard } from "../rig/guard.ts";
import { areCounts, builtProgram, createSay, end, endWrongUse, root } from "../rig/program.ts";
import { isDeliveredOnce, toSideBySide } from "./side-by-side.ts";
import { contenders, measure, plainCase, type Measured } from "./stand/measure.ts";

const { values } = parseArgs({
  options: {
    n: { type: "string", default: "20000" },
    latency: { type: "string", default: "0,25" },
    contenders: { type: "string", default: contenders.join(",") },
    within: { type: "string", default: "600" },
    program: { type: "string", default: builtProgram },
    "cpu-prof": { type: "string" },
    env: { type: "string", multiple: true, default: [] },
  },
});
const messages = Number(values.n);
const latencies = values.latency.split(",").map(Number);
const wanted = values.contenders.split(",");
const chosen = contenders.filter((name) => wanted.includes(name));
const isRight =
  areCounts(messages, Number(values.within)) &&
  latencies.every((ms) => ms >= 0) &&
  chosen.length === wanted.length;
if (!isRight) endWrongUse(`counts above 0, latencies in ms, contenders among ${contenders.join(", ")}`);

const dir = resolve(root, ".cache/bench-runs");
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });
const guard = startGuard();
const say = createSay();
const stand = {
  dir,
  guard,
  program: resolve(values.program),
  profiles: values["cpu-prof"] === undefined ? null : resolve(values["cpu-prof"]),
  withinMs: Number(values.within) * 1_000,
};
const env = Object.fromEntries(
  values.env.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
);
const all: Measured[] = [];
for (const latencyMs of latencies) {
  for (const contender of chosen) {
    say(`${contender}, ${messages} messages, ${latencyMs} ms`);
    all.push(await measure(stand, { ...plainCase, contender, messages, latencyMs, env }));
  }
}
guard.close();
const failed = all.filter((one) => !isDeliveredOnce(one)).length;
end(`${toSideBySide(all)}\n`, failed);
