import { onTestFinished } from "vitest";
import { startEmulator, type Emulator } from "../../dev/emulator/index.ts";
import { createEnv, startDaemon, type StartedDaemon } from "./daemon.ts";

export interface PlainConsole {
  readonly emulator: Emulator;
  readonly daemon: StartedDaemon;
  readonly url: string;
}

const ordersDocument = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    minAge: 0s
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 500-599 }, then: hold }
`;

/** A daemon of the built program with a console, over an emulator, for one test. `env`: names without REDRIVER_. */
export async function startConsole(
  redisUrl: string,
  env: Readonly<Record<string, string>> = {},
  seed: readonly object[] = [],
  document = ordersDocument,
): Promise<PlainConsole> {
  const emulator = await startEmulator({ retryScale: 0 });
  onTestFinished(() => emulator.close());
  if (seed.length > 0) emulator.dlq.seed(seed as never);
  const settings = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [`REDRIVER_${name}`, value]),
  );
  const setup = createEnv({
    emulator,
    redisUrl,
    document,
    env: { REDRIVER_CONSOLE_PORT: "0", ...settings },
  });
  const daemon = await startDaemon(setup.env);
  if (daemon.consoleUrl === null) throw new Error("the daemon has no console");
  return { emulator, daemon, url: daemon.consoleUrl };
}
