import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Emulator } from "../../dev/emulator/index.ts";
import { createFolder, start, startProgram, type Running } from "./command.ts";

export interface DaemonSetup {
  readonly emulator: Emulator;
  readonly redisUrl: string;
  readonly document: string;
  readonly keyPrefix?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface DaemonEnv {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: ReturnType<typeof createFolder>;
}

/** What a command needs to work against this emulator and Redis, and nothing else. */
export function createEnv({ emulator, redisUrl, document, keyPrefix, env }: DaemonSetup): DaemonEnv {
  const folder = createFolder({ "drains.yaml": document });
  return {
    folder,
    env: {
      REDRIVER_SERVICE_URL: emulator.url,
      REDRIVER_SERVICE_TOKEN: emulator.token,
      REDRIVER_REDIS_URL: redisUrl,
      REDRIVER_REDIS_KEY_PREFIX: keyPrefix ?? `e2e-${randomUUID().slice(0, 8)}`,
      REDRIVER_DRAINS_FILE: `${folder.path}/drains.yaml`,
      REDRIVER_HTTP_HOST: "127.0.0.1",
      REDRIVER_HTTP_PORT: "0",
      REDRIVER_CONSOLE_PORT: "none",
      REDRIVER_LOG_AUDIT: "stdout",
      ...env,
    },
  };
}

export interface StartedDaemon extends Running {
  /** Of its ops server. */
  readonly address: string;
  /** Of its console; null: it has none. */
  readonly consoleUrl: string | null;
  /** At SIGTERM, with 0. */
  endsWell(): Promise<void>;
}

/** The daemon as a child process, once it has started. `program`: main.js of another build. */
export async function startDaemon(
  env: Readonly<Record<string, string>>,
  program?: string,
): Promise<StartedDaemon> {
  const running = program === undefined ? start(["run"], env) : startProgram(program, ["run"], env);
  const started = await running.line(({ event }) => event === "daemon:started");
  const { httpAddress, consoleAddress } = started;
  return {
    ...running,
    address: `http://${String(httpAddress)}`,
    consoleUrl: typeof consoleAddress === "string" ? `http://${consoleAddress}` : null,
    async endsWell() {
      running.child.kill("SIGTERM");
      expect((await running.ended).exitCode).toBe(0);
    },
  };
}
