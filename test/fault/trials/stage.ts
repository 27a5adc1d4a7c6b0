import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Redis } from "ioredis";
import type { JournalEntry } from "../../../src/emulator/index.ts";
import { startEmulatorProcess, type EmulatorProcess } from "../../rig/emulator-process.ts";
import { startReceiverProcess, type ReceiverProcess } from "../../rig/receiver-process.ts";
import { createDaemonProcess, type DaemonProcess } from "../../rig/daemon-process.ts";
import type { Guard } from "../../rig/guard.ts";
import { createClosing } from "../../support/closing.ts";
import { createRedisServers } from "../../support/redis-servers.ts";
import { toDocument } from "./document.ts";

export const keyPrefix = "trials";

/** Everything that one trial runs on, each in a process of its own, on loopback. */
export interface Stage {
  readonly emulator: EmulatorProcess;
  readonly receiver: ReceiverProcess;
  /** Not started yet. */
  readonly daemons: readonly DaemonProcess[];
  readonly redis: Redis;
  readonly archiveDir: string;
  close(): Promise<void>;
}

export interface StageOptions {
  /** For all that is written. */
  readonly dir: string;
  readonly seed: number;
  readonly replicas: number;
  /** Paths of the built programs. */
  readonly program: string;
  readonly emulatorProgram: string;
  readonly guard: Guard;
  readonly onEntry: (entry: JournalEntry) => void;
  readonly onLine: (daemon: number, line: string, from: "stdout" | "stderr") => void;
  readonly onCrash: (daemon: number, how: string) => void;
  readonly onEnd: (daemon: number) => void;
}

/** The daemons have the settings as shipped, but for addresses. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const { dir, guard, seed } = options;
  const archiveDir = join(dir, "archive");
  mkdirSync(archiveDir, { recursive: true });
  const closing = createClosing();
  try {
    const servers = createRedisServers();
    closing.add(() => servers.stop());
    const redis = await servers.start();
    const emulator = await startEmulatorProcess({
      program: options.emulatorProgram,
      guard,
      logFile: join(dir, "emulator.log"),
      args: ["--stop-with-parent", "--seed", String(seed)],
      onEntry: options.onEntry,
    });
    closing.add(() => emulator.close());
    const receiver = await startReceiverProcess({ guard, logFile: join(dir, "receiver.log") });
    closing.add(() => receiver.close());
    const documentFile = join(dir, "drains.yaml");
    writeFileSync(documentFile, toDocument(archiveDir));
    const env = {
      REDRIVER_SERVICE_URL: emulator.url,
      REDRIVER_SERVICE_TOKEN: emulator.token,
      REDRIVER_REDIS_URL: redis.url,
      REDRIVER_REDIS_KEY_PREFIX: keyPrefix,
      REDRIVER_DRAINS_FILE: documentFile,
      REDRIVER_HTTP_HOST: "127.0.0.1",
      REDRIVER_HTTP_PORT: "0",
      // Below the 15 s after which a daemon process of the soak is killed.
      REDRIVER_SHUTDOWN_SOFT: "4s",
      REDRIVER_SHUTDOWN_HARD: "6s",
    };
    const daemons = Array.from({ length: options.replicas }, (_, index) =>
      createDaemonProcess({
        program: options.program,
        env,
        logFile: join(dir, `daemon-${index}.jsonl`),
        guard,
        onLine: (line, from) => options.onLine(index, line, from),
        onCrash: (how) => options.onCrash(index, how),
        onEnd: () => options.onEnd(index),
      }),
    );
    closing.add(async () => {
      await Promise.all(daemons.map((one) => one.kill()));
    });
    return { emulator, receiver, daemons, redis: redis.admin, archiveDir, close: closing.close };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
