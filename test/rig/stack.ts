import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JournalEntry } from "../../dev/emulator/index.ts";
import { createClosing } from "../support/closing.ts";
import { createRedisServers } from "../support/redis-servers.ts";
import { createDaemonProcess } from "./daemon-process.ts";
import { startEmulatorProcess } from "./emulator-process.ts";
import type { Guard } from "./guard.ts";
import { builtProgram } from "./program.ts";
import { startReceiverProcess, type ReceiverProcess } from "./receiver-process.ts";
import { waitUntil } from "./wait.ts";

/** Everything that one scenario runs on, each in a process of its own, on loopback. */
export type Stack = Awaited<ReturnType<typeof startStack>>;

export interface StackOptions {
  /** For all that is written. */
  readonly dir: string;
  readonly guard: Guard;
  /** Path of a built program, if it is another one. */
  readonly program?: string;
  readonly emulatorArgs?: readonly string[];
  readonly emulatorEnv?: Readonly<Record<string, string>>;
  readonly receivers?: number;
  readonly replicas?: number;
  /** The drains document, given the folder of the archive. */
  readonly document: (archiveDir: string) => string;
  /** Settings besides the addresses, the time to stop, and the document. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether Redis writes what a restart finds. */
  readonly isRedisKept?: boolean | undefined;
  readonly onEntry?: (entry: JournalEntry) => void;
  readonly onLine?: (daemon: number, line: string, from: "stdout" | "stderr") => void;
  readonly onCrash: (daemon: number, how: string) => void;
  readonly onEnd?: (daemon: number) => void;
}

/** The daemons' part of Redis. */
export const keyPrefix = "rig";

const run = promisify(execFile);

export async function startStack(options: StackOptions) {
  const { dir, guard, program = builtProgram } = options;
  const archiveDir = join(dir, "archive");
  mkdirSync(archiveDir, { recursive: true });
  const closing = createClosing();
  try {
    const servers = createRedisServers({ guard });
    closing.add(() => servers.stop());
    const redis = await servers.start(options.isRedisKept ? ["--appendonly", "yes"] : []);
    const emulator = await startEmulatorProcess({
      program,
      guard,
      logFile: join(dir, "emulator.log"),
      args: options.emulatorArgs ?? [],
      env: options.emulatorEnv ?? {},
      onEntry: options.onEntry,
    });
    closing.add(() => emulator.close());
    const receivers: ReceiverProcess[] = [];
    for (let index = 0; index < (options.receivers ?? 1); index += 1) {
      const one = await startReceiverProcess({ guard, logFile: join(dir, `receiver-${index}.log`) });
      closing.add(() => one.close());
      receivers.push(one);
    }
    const documentFile = join(dir, "drains.yaml");
    writeFileSync(documentFile, options.document(archiveDir));
    const env = {
      REDRIVER_SERVICE_URL: emulator.url,
      REDRIVER_SERVICE_TOKEN: emulator.token,
      REDRIVER_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      REDRIVER_REDIS_KEY_PREFIX: keyPrefix,
      REDRIVER_DRAINS_FILE: documentFile,
      REDRIVER_HTTP_HOST: "127.0.0.1",
      REDRIVER_HTTP_PORT: "0",
      REDRIVER_CONSOLE_PORT: "none",
      // A daemon that is killed is no reason for a question of the rig to fail, and the judge reads the audit on
      // stdout too. Former builds know neither.
      ...(program === builtProgram && { REDRIVER_SOCKET_PATH: "none", REDRIVER_LOG_AUDIT: "stdout" }),
      // Below the 15 s after which a daemon process is killed.
      REDRIVER_SHUTDOWN_SOFT: "4s",
      REDRIVER_SHUTDOWN_HARD: "6s",
      ...options.env,
    };
    const daemons = Array.from({ length: options.replicas ?? 1 }, (_, index) =>
      createDaemonProcess({
        program,
        env,
        logFile: join(dir, `daemon-${index}.jsonl`),
        guard,
        onLine: (line, from) => options.onLine?.(index, line, from),
        onCrash: (how) => options.onCrash(index, how),
        onEnd: () => options.onEnd?.(index),
      }),
    );
    closing.add(async () => {
      await Promise.all(daemons.map((one) => one.kill()));
    });
    return {
      emulator,
      receiver: receivers[0]!,
      receivers,
      /** Straight to the Redis of the daemons. */
      redis: redis.admin,
      /** Ends it as a machine that is shut down does. Resolves when it answers again, with what it had written. */
      async restartRedis(): Promise<void> {
        await redis.end("SIGTERM");
        await redis.restart();
      },
      archiveDir,
      /** What daemons and commands are started with. */
      env: env as Readonly<Record<string, string>>,
      /** As many as were asked for; not started yet. */
      daemons,
      /** Resolves when all of them have said that they work. */
      async startDaemons(): Promise<void> {
        for (const one of daemons) one.start();
        await waitUntil("the daemons", () => daemons.every((one) => one.address() !== null), 60_000);
      },
      async stopDaemons(): Promise<void> {
        await Promise.all(daemons.map((one) => one.terminate()));
      },
      /** `redriver <args> --json`: a value a line, or one for all. */
      async ask(...args: readonly string[]): Promise<string> {
        const { stdout } = await run(process.execPath, [program, ...args, "--json"], {
          env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
          maxBuffer: 1 << 28,
        });
        return stdout;
      },
      /** Parked records as the first daemon's metrics have it; null before they know. */
      parkedByMetric: async () => (await daemons[0]!.metrics()).sum("redriver_records", { state: "parked" }),
      close: closing.close,
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}
