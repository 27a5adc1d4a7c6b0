/**
 * A rollout in the middle of a drain, with faults: the first daemon is told to stop when half of the messages
 * are delivered, and another one, on a base without a shell, goes on. Answers of the service are lost, and it
 * refuses for a while.
 */
import { join } from "node:path";
import { createClosing, type Closing } from "../support/closing.ts";
import { createRedisServers, freePort } from "../support/redis-servers.ts";
import { emulatorCommand, followEmulator, type EmulatorProcess } from "../rig/emulator-process.ts";
import { atMost, exactly, same, type Figure } from "../rig/figures.ts";
import { countBy } from "../rig/outcome.ts";
import { startReceiverProcess, type ReceiverProcess } from "../rig/receiver-process.ts";
import { isSoon, waitUntil } from "../rig/wait.ts";
import type { Container } from "./container.ts";
import { document, large, toRecords, wanted } from "./letters.ts";
import { createStage, mountImage, type MountedImage, type Stage } from "./stage.ts";
import { bareProductionImage, developmentImage, productionImage, type World } from "./world.ts";

/** A slow machine starts it in a second. */
const startWithinMs = 10_000;
const drainWithinMs = 120_000;

export async function drainFigures(world: World, hasBare: boolean): Promise<readonly Figure[]> {
  const closing = createClosing();
  try {
    return await play(world, hasBare, closing);
  } finally {
    await closing.close();
  }
}

interface Parts {
  readonly world: World;
  readonly stage: Stage;
  readonly closing: Closing;
  readonly emulator: EmulatorProcess;
  readonly receiver: ReceiverProcess;
}

async function play(world: World, hasBare: boolean, closing: Closing): Promise<readonly Figure[]> {
  const parts = await startParts(world, closing);
  const { emulator, stage, receiver } = parts;
  const image = await mountImage(world, productionImage);
  const overrides = { REDRIVER_SERVICE_URL: emulator.url, ...onLoopback };
  const doctor = await stage.run({
    name: "doctor",
    container: world.manifests.doctor,
    image,
    env: overrides,
  });
  const alone = await stage.run({
    name: "doctor-alone",
    container: world.manifests.doctor,
    image,
    // The port of nobody.
    env: { ...overrides, REDRIVER_SERVICE_URL: "http://127.0.0.1:1" },
  });
  await emulator.seed(toRecords(Date.now(), receiver.url));
  for (const fault of faults) await emulator.control("POST", "/faults", fault);

  const first = await startDaemon(parts, "first", image);
  const arrived = async (): Promise<number> =>
    new Set((await receiver.arrivals()).flatMap(({ id, status }) => (status === 200 ? [id] : []))).size;
  const isHalf = async (): Promise<boolean> => (await arrived()) >= wanted.length / 2;
  await waitUntil("half of the messages", first.whileAlive(isHalf), drainWithinMs);
  const atStop = await arrived();
  const firstEnd = await stop(world, first.container);

  const next = hasBare ? await mountImage(world, bareProductionImage) : image;
  const second = await startDaemon(parts, "second", next);
  const isAllDone = async (): Promise<boolean> =>
    (await arrived()) === wanted.length && (await emulator.state()).dlqSize === 0;
  const isDone = await isSoon(second.whileAlive(isAllDone), drainWithinMs);
  const secondEnd = await stop(world, second.container);
  const { pending, dlqSize } = await emulator.state();
  const fired = await firedFaults(emulator);

  const arrivals = (await receiver.arrivals()).filter(({ status }) => status === 200);
  const times = countBy(arrivals, ({ id }) => id);
  const bytes = new Map(arrivals.map((one) => [one.id, one.bytes]));
  return [
    exactly("doctor, as the init container, ends with", doctor.exitCode, 0),
    same(
      "doctor while the service is away",
      alone.exitCode === 1 ? "stops the pod" : `ends with ${alone.exitCode}`,
      "stops the pod",
    ),
    same("stopped in the middle", atStop < wanted.length ? "yes" : "no", "yes"),
    exactly("SIGTERM in the middle ends it with", firstEnd.code, 0),
    atMost("seconds that took", firstEnd.tookMs / 1_000, world.manifests.daemon.graceSeconds),
    exactly("SIGTERM at the end ends it with", secondEnd.code, 0),
    atMost("seconds that took", secondEnd.tookMs / 1_000, world.manifests.daemon.graceSeconds),
    same("all done in time", isDone ? "yes" : "no", "yes"),
    exactly("messages arrived", wanted.filter(({ id }) => times.has(id)).length, wanted.length),
    exactly("of these more than once", wanted.filter(({ id }) => (times.get(id) ?? 0) > 1).length, 0),
    exactly(
      `of ${large.length} large ones whole`,
      large.filter(({ id, bodyBytes }) => bytes.get(id) === bodyBytes).length,
      large.length,
    ),
    exactly("left in the DLQ", dlqSize, 0),
    exactly("still on its way", pending, 0),
    ...fired,
  ];
}

const onLoopback = {
  REDRIVER_HTTP_HOST: "127.0.0.1",
  REDRIVER_CONSOLE_PORT: "none",
} as const;

/** Both sides of a publish and of a delete, and a service that is too busy. */
const faults = [
  { name: "no-answer", kind: "drop-answer", operation: "batch", when: "after", count: 2 },
  {
    name: "too-many",
    kind: "status",
    operation: "batch",
    status: 429,
    limit: "burst",
    resetInS: 2,
    count: 2,
  },
  { name: "no-delete-answer", kind: "drop-answer", operation: "delete", when: "after", count: 1 },
] as const;

async function firedFaults(emulator: EmulatorProcess): Promise<readonly Figure[]> {
  const answer = (await emulator.control("GET", "/faults")) as {
    readonly faults: readonly { readonly name: string; readonly fired: number }[];
  };
  const fired = new Map(answer.faults.map((one) => [one.name, one.fired]));
  return faults.map(({ name, count }) => exactly(`fault ${name} met`, fired.get(name) ?? 0, count));
}

async function startParts(world: World, closing: Closing): Promise<Parts> {
  const { guard, dir } = world;
  const servers = createRedisServers({ guard });
  closing.add(() => servers.stop());
  const redis = await servers.start();
  const receiver = await startReceiverProcess({ guard, logFile: join(dir, "receiver.log") });
  closing.add(() => receiver.close());
  const token = "the-token-of-this-run";
  const stage = createStage(world, "drain", {
    "redriver-drains": { "drains.yaml": document },
    redriver: { "service-token": token, "redis-url": redis.url },
  });
  const container = stage.start({
    name: "emulator",
    container: world.manifests.emulator,
    image: await mountImage(world, developmentImage),
    args: [...emulatorCommand, "--token", token, "--retry-scale", "0"],
  });
  closing.add(() => container.kill());
  const died = container.ended.then((end) => {
    throw new Error(`the emulator's container ended with ${end}`);
  });
  const emulator = await Promise.race([followEmulator(container), died]);
  died.catch(() => undefined);
  closing.add(() => emulator.close());
  return { world, stage, closing, emulator, receiver };
}

type Check = () => Promise<boolean>;

interface RunningDaemon {
  readonly container: Container;
  /** The same check, which rejects once the daemon has ended. */
  whileAlive(check: Check): Check;
}

async function startDaemon(parts: Parts, name: string, image: MountedImage): Promise<RunningDaemon> {
  const { world, stage, closing, emulator } = parts;
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const container = stage.start({
    name,
    container: world.manifests.daemon,
    image,
    env: { ...onLoopback, REDRIVER_SERVICE_URL: emulator.url, REDRIVER_HTTP_PORT: String(port) },
  });
  closing.add(() => container.kill());
  const whileAlive = (check: Check) => async (): Promise<boolean> => {
    if (!container.isRunning()) throw new Error(`the ${name} daemon ended with ${await container.ended}`);
    return await check();
  };
  const isReady = async (): Promise<boolean> =>
    (await fetch(`${address}/readyz`).catch(() => null))?.status === 200;
  if (!(await isSoon(whileAlive(isReady), startWithinMs, 20)))
    throw new Error(`the ${name} daemon is not ready`);
  return {
    container,
    whileAlive,
  };
}

async function stop(
  world: World,
  container: Container,
): Promise<{ readonly code: number; readonly tookMs: number }> {
  const from = performance.now();
  container.terminate();
  const timer = setTimeout(() => void container.kill(), world.manifests.daemon.graceSeconds * 1_000);
  const end = await container.ended;
  clearTimeout(timer);
  return { code: typeof end === "number" ? end : 255, tookMs: performance.now() - from };
}
