/**
 * The service delivers ten messages at once. A healthy host that takes 200 ms has thousands of dead letters, and
 * a dead host has some beside them: what is published waits, and silence shows nothing.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { atMost, exactly, none, shareAtLeast, shown, timed, type Figure } from "../../rig/figures.ts";
import { idsOf } from "../../rig/letters.ts";
import { countBetween, deliveredOnce, mostWithin, ratePerSecond } from "../../rig/outcome.ts";
import { builtProgram } from "../../rig/program.ts";
import { isSoon, until } from "../../rig/wait.ts";
import { startLossyCallbacks } from "../lossy-callbacks.ts";
import { startStage, type Stage } from "../stage.ts";
import { createTimeScale, hourMs, minuteMs, secondMs } from "../time-scale.ts";
import type { World } from "../world.ts";

/** A watch of 4 s. Rates and the receiver are not scaled: the service delivers 50/s, and is offered 100/s. */
const scale = createTimeScale(15);
const parallelism = 10;
const takesMs = 200;
const servicePerSecond = (parallelism * secondMs) / takesMs;
const offeredPerSecond = 100;
const mostInFirstHour = 20;
/** Three times the parallelism, and what a delayed report lets through. */
const mostTimes = 5;
const leastShare = 0.8;
/** What the service can deliver on this machine is the most that it did within so long. */
const measuredMs = 5 * secondMs;

/** What tells of deliveries, and what goes wrong beside it. */
interface Variant {
  readonly name: string;
  readonly serveOrder: "first" | "last";
  readonly callbacks?: true;
  readonly watchDeliveries?: true;
  readonly maxParallelism?: true;
  /** Lost answers, 429, lost callbacks, two replicas, and a restart of Redis in the middle. */
  readonly isTroubled?: true;
}

const variants: readonly Variant[] = [
  { name: "callbacks-troubled", serveOrder: "last", callbacks: true, isTroubled: true },
  { name: "watch-troubled", serveOrder: "last", watchDeliveries: true, isTroubled: true },
  { name: "parallelism", serveOrder: "first", maxParallelism: true },
  { name: "parallelism-callbacks", serveOrder: "first", maxParallelism: true, callbacks: true },
  { name: "parallelism-watch", serveOrder: "last", maxParallelism: true, watchDeliveries: true },
];

/** So many side by side: each waits for its receiver most of the time. */
const sideBySide = 3;

export async function saturated(world: World): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (let from = 0; from < variants.length; from += sideBySide) {
    const some = variants.slice(from, from + sideBySide);
    figures.push(...(await Promise.all(some.map((one) => play(world, one)))).flat());
  }
  return figures;
}

async function play(world: World, variant: Variant): Promise<readonly Figure[]> {
  const { name, isTroubled } = variant;
  const keyFile = join(world.dir, `saturated-${name}.key`);
  const callbacks = variant.callbacks ? await startLossyCallbacks(isTroubled ? 0.2 : 0) : null;
  const source = [
    ...(callbacks === null
      ? []
      : [`callbacks: { url: "${callbacks.url}/callbacks", keys: [{ file: ${keyFile} }] }`]),
    ...(variant.watchDeliveries ? ["watchDeliveries: true"] : []),
    ...(variant.maxParallelism ? [`maxParallelism: ${parallelism}`] : []),
  ].join(", ");
  const stage = await startStage(world, {
    name: `saturated-${name}`,
    scale,
    receivers: 2,
    replicas: isTroubled ? 2 : 1,
    isRedisKept: isTroubled,
    emulatorArgs: ["--max-in-flight", String(parallelism), "--serve-order", variant.serveOrder],
    drain: {
      source,
      publishPerSecond: offeredPerSecond / scale.factor,
      perHostPerSecond: offeredPerSecond / scale.factor,
    },
    env: { REDRIVER_CALLBACK_HOST: "127.0.0.1", REDRIVER_CALLBACK_PORT: "0" },
    onLine(line) {
      if (!line.includes('"daemon:started"')) return;
      const { callbackAddress } = JSON.parse(line) as { readonly callbackAddress: string | null };
      if (callbackAddress !== null) callbacks?.leadTo(callbackAddress);
    },
  });
  try {
    const keys = (await stage.emulator.service("GET", "/v2/keys")) as { readonly current: string };
    writeFileSync(keyFile, keys.current);
    return (await measure(world, stage, variant)).map((one) => ({ ...one, what: `${name}: ${one.what}` }));
  } finally {
    await stage.close();
    await callbacks?.close();
  }
}

async function measure(world: World, stage: Stage, variant: Variant): Promise<readonly Figure[]> {
  const { receivers, emulator } = stage;
  const ofLongForm = (one: Figure): Figure => (world.isSmall ? shown(one.what, one.seen) : one);
  const [healthy, dead] = [receivers[0]!, receivers[1]!];
  const letters = { name: "healthy", count: world.isSmall ? 1_500 : 4_000, url: healthy.url };
  const hour = scale.here(world.isSmall ? hourMs / 3 : hourMs);
  await healthy.behave({ delayMs: takesMs });
  await dead.behave({ manner: "refusing" });
  await stage.seed(letters);
  await stage.seed({ name: "dead", count: 300, url: dead.url });
  if (variant.isTroubled) await trouble(stage);
  await stage.startDaemons();
  const accepted = () => emulator.journal("accepted");
  const isToDead = ({ url }: { readonly url: string }): boolean => url.startsWith(dead.url);
  await isSoon(async () => (await accepted()).some(isToDead), minuteMs);
  const firstAt = (await accepted()).find(isToDead)?.at ?? Date.now();
  const claims = watchClaims(world, stage);
  await until(firstAt + hour / 2);
  if (variant.isTroubled) await stage.restartRedis();
  await until(firstAt + hour);
  const toDead = (await accepted()).filter(isToDead);
  const longestMs = (3 * letters.count * secondMs) / servicePerSecond + minuteMs;
  const isDone = async (): Promise<boolean> => {
    const arrived = new Set(
      (await healthy.arrivals()).filter(({ status }) => status === 200).map(({ id }) => id),
    );
    return arrived.size === letters.count;
  };
  const isDrained = await isSoon(isDone, longestMs, secondMs);
  const untruths = await claims.end();
  const arrivals = (await healthy.arrivals()).toSorted((one, other) => one.at - other.at);
  const canDeliver = (mostWithin(arrivals, measuredMs) * secondMs) / measuredMs;
  const delivers = ratePerSecond(arrivals.map(({ at }) => at));
  const mostUndelivered = await countUndelivered(stage);
  return [
    atMost("publishes to the dead host", countBetween(toDead, firstAt, firstAt + hour), mostInFirstHour),
    shown("the service can deliver, and did", `${canDeliver.toFixed(1)}/s, ${delivers.toFixed(1)}/s`),
    // Beside others on two cores the receiver is no measure of what the service can deliver.
    ofLongForm(timed(shareAtLeast("deliveries of what it can deliver", delivers / canDeliver, leastShare))),
    none('"all clear" while messages wait', untruths),
    variant.maxParallelism
      ? ofLongForm(atMost("most that was undelivered", mostUndelivered, mostTimes * parallelism))
      : shown("most that was undelivered", String(mostUndelivered)),
    exactly("the healthy one is drained", isDrained ? 1 : 0, 1),
    ...(await deliveredOnce({ ...stage, receivers: [healthy] }, idsOf(letters))),
  ];
}

/** The most that was accepted and had not ended, at any time. */
async function countUndelivered({ emulator }: Stage): Promise<number> {
  const changes = [
    ...(await emulator.journal("accepted")).map(({ seq }) => ({ seq, by: 1 })),
    ...(await emulator.journal("dead-lettered")).map(({ seq }) => ({ seq, by: -1 })),
    ...(await emulator.journal("delivery"))
      .filter(({ outcome }) => outcome === "delivered")
      .map(({ seq }) => ({ seq, by: -1 })),
  ].toSorted((one, other) => one.seq - other.seq);
  let [now, most] = [0, 0];
  for (const { by } of changes) most = Math.max(most, (now += by));
  return most;
}

async function trouble({ emulator }: Stage): Promise<void> {
  const faults = [
    { kind: "drop-answer", operation: "batch", probability: 0.15 },
    { kind: "status", operation: "batch", status: 429, limit: "burst", probability: 0.1 },
    { kind: "status", operation: "manage", status: 429, probability: 0.2 },
    { kind: "status", operation: "manage", status: 500, probability: 0.1 },
    { kind: "status", operation: "list", status: 429, limit: "burst", probability: 0.02 },
  ];
  for (const fault of faults) await emulator.control("POST", "/faults", fault);
}

const run = promisify(execFile);

/** Asks for the status again and again, and notes each "all clear" that was said while messages waited. */
function watchClaims({ isSmall }: World, { env, emulator }: Stage) {
  const untruths: string[] = [];
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      const before = (await emulator.state()).pending;
      const { stdout } = await run(process.execPath, [builtProgram, "status"], {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
      }).catch(() => ({ stdout: "" }));
      const after = (await emulator.state()).pending;
      if (stdout.includes("all clear") && Math.min(before, after) > 0) untruths.push(stdout.split("\n")[0]!);
      await delay((isSmall ? 8 : 4) * secondMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    async end(): Promise<readonly string[]> {
      over.abort();
      await watching;
      return untruths;
    },
  };
}
