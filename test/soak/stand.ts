import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
import { createTcpProxy } from "../support/tcp-proxy.ts";
import { createDaemonProcess } from "../rig/daemon-process.ts";
import { createDice, type Dice } from "../rig/dice.ts";
import { builtProgram } from "../rig/program.ts";
import { toDocument, toSettings, times } from "./document.ts";
import { createFakeClock } from "./fake-clock.ts";
import { startGuard } from "../rig/guard.ts";
import { createLetterMaker, retentionMs } from "./letters.ts";
import { startRedisPair } from "./redis-pair.ts";
import type { Secrets } from "../rig/secrets.ts";
import { isTurnedUp, type TurnedUp } from "../rig/turned-up.ts";
import { copyTurnedUp, turnedUpEnv } from "../rig/turned-up-program.ts";
import { startWitness } from "./witness.ts";

/** Everything that a soak runs on, and breaks. */
export type Stand = Awaited<ReturnType<typeof startStand>>;

export interface StandOptions {
  readonly seed: number;
  readonly daemons: number;
  /** Gets all that must be seen nowhere. */
  readonly secrets: Secrets;
  /** Which daemons work many windows and pages at once. */
  readonly turnedUp: TurnedUp;
  /** An empty directory for all that is written. */
  readonly dir: string;
  readonly onLine: (daemon: number, line: string, from: "stdout" | "stderr") => void;
  readonly onCrash: (daemon: number, how: string) => void;
  readonly onEnd: (daemon: number) => void;
}

export async function startStand(options: StandOptions) {
  const { seed, dir, secrets } = options;
  const service = drawService(createDice(seed + 1));
  const guard = startGuard();
  const emulator = await startEmulator({
    seed,
    token: newSecret("token"),
    retryScale: 0.01,
    retentionMs,
    dedupWindowMs: times.dedupWindow,
    ...service,
  });
  // So that what is killed, stopped and cut has a POST under way now and then.
  emulator.faults.add({ kind: "latency", operation: "batch", ms: 20, toMs: 300, probability: 0.5 });
  const witness = await startWitness();
  const servicePath = await createTcpProxy(toTarget(emulator.url));
  const redis = await startRedisPair(dir, options.daemons, guard);
  const clock = createFakeClock(dir);

  const archiveDir = join(dir, "archive");
  const tokenFile = join(dir, "token");
  const documentFile = join(dir, "drains.yaml");
  mkdirSync(archiveDir);
  writeFileSync(tokenFile, emulator.token);
  writeFileSync(documentFile, toDocument(archiveDir, witness.url));
  const markers = { body: newSecret("body"), header: newSecret("header") };
  const lineageKey = newSecret("lineage");
  for (const [name, value] of Object.entries({ ...markers, lineageKey, token: emulator.token })) {
    secrets.add(name, value);
  }
  const settings = toSettings({
    serviceUrl: `http://127.0.0.1:${servicePath.port}`,
    tokenFile,
    lineageKey,
    documentFile,
  });
  const turnedUpProgram = options.turnedUp === "none" ? "" : copyTurnedUp(join(dir, "turned-up"));
  const daemons = redis.paths.map(({ port }, index) => {
    const isLast = index === redis.paths.length - 1;
    const isUp = isTurnedUp(options.turnedUp, index);
    return createDaemonProcess({
      program: isUp ? turnedUpProgram : builtProgram,
      env: {
        ...settings,
        ...(isUp ? turnedUpEnv : {}),
        REDRIVER_REDIS_URL: `redis://127.0.0.1:${port}`,
        ...(isLast && clock !== null ? clock.env : {}),
      },
      logFile: join(dir, `daemon-${index}.log`),
      guard,
      onLine: (line, from) => options.onLine(index, line, from),
      onCrash: (how) => options.onCrash(index, how),
      onEnd: () => options.onEnd(index),
    });
  });
  return {
    emulator,
    /** What the seed made of the service. */
    service,
    witness,
    redis,
    /** Between all daemons and the service: a source has one address. */
    servicePath,
    daemons,
    /** Of the last daemon; null: it cannot be moved here. */
    clock,
    secrets,
    letters: createLetterMaker(seed, witness.url, markers),
    archiveDir,
    tokenFile,
    async close(): Promise<void> {
      await Promise.all(daemons.map((daemon) => daemon.kill()));
      await servicePath.close();
      await redis.close();
      await emulator.close();
      await witness.close();
      guard.close();
    },
  };
}

/** In what nobody documents, a service that is this or that one, for as long as the soak lasts. */
function drawService(dice: Dice) {
  return {
    dateFilter: dice.pick(["entered", "entered", "created"]),
    order: dice.pick(["earliestFirst", "latestFirst"]),
    missingStatus: dice.pick(["absent", "zero"]),
    recordHeaders: dice.pick(["forwarded", "sent"]),
    // With offsets a pass that deletes skips records; a later one has to meet them.
    cursorBy: dice.pick(["record", "offset"]),
    dedupWindowFrom: dice.pick(["first", "last"]),
  } as const satisfies EmulatorOptions;
}

/** Long and odd enough to be found by chance nowhere. */
export function newSecret(name: string): string {
  return `${name}${randomBytes(12).toString("hex")}`;
}

function toTarget(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
