import { setTimeout as delay } from "node:timers/promises";
import type { Guard } from "../../rig/guard.ts";
import type { Say } from "../../rig/program.ts";
import { startStack } from "../../rig/stack.ts";
import { waitUntil } from "../../rig/wait.ts";
import { toParked, toWaiting } from "./backlog.ts";

/** Two replicas over a Redis that their own passes have filled. */
export type Scene = Awaited<ReturnType<typeof openScene>>;

export interface SceneOptions {
  readonly dir: string;
  readonly guard: Guard;
  readonly say: Say;
  readonly parked: number;
  readonly failures: number;
}

const replicas = 2;
const waitingRecords = 2_000;
const indexLogin = { user: "bench", password: "bench-password" };

const document = `
version: 1
sources: { default: { retention: 7d, census: 6h } }
indexes:
  catalog: { id: demo, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }, schedule: { every: 1h } }
drains:
  refused:
    mode: live
    schedule: { every: 1d, full: 1d }
    minAge: 0s
    select: { label: refused }
    rules:
      - { name: never-again, when: { responseStatus: 400-499 }, then: park }
  later:
    mode: live
    schedule: { every: 1d, full: 1d }
    minAge: 0s
    select: { label: later }
    rules:
      - { name: outage, when: { responseStatus: 500-599 }, then: hold }
`;

export async function openScene(options: SceneOptions) {
  const { say, parked, failures } = options;
  const stack = await startStack({
    ...options,
    replicas,
    emulatorArgs: ["--stats-user", indexLogin.user, "--stats-password", indexLogin.password],
    document: () => document,
    env: {
      REDRIVER_CONSOLE_PORT: "0",
      REDRIVER_CONSOLE_ROLE: "operator",
      INDEX_USER: indexLogin.user,
      INDEX_PASSWORD: indexLogin.password,
    },
    onCrash: (daemon, how) => say(`daemon ${daemon}: ${how}`),
  });
  const serviceCalls = async (): Promise<number> => (await stack.emulator.journal("request")).length;
  try {
    const waitingKinds = Math.floor(failures / 5);
    const parkedKinds = failures - waitingKinds;
    await stack.emulator.seed([
      ...Array.from({ length: parked }, (_, index) => toParked(index, parkedKinds, parked)),
      ...Array.from({ length: waitingRecords }, (_, index) => toWaiting(index, waitingKinds)),
    ]);
    say(`${parked + waitingRecords} dead letters of ${failures} kinds`);
    await stack.startDaemons();
    const areParked = async (): Promise<boolean> => (await stack.parkedByMetric()) === parked;
    await waitUntil("all that is refused to be parked", areParked, 10 * 60_000);
    await untilStill(serviceCalls);
    say("the passes have parked them");
  } catch (error) {
    await stack.close();
    throw error;
  }
  return {
    stack,
    /** Of the first replica's console. */
    url: `http://${stack.daemons[0]!.consoleAddress()}`,
    /** How many requests the service has answered so far. */
    serviceCalls,
    /** Resolves when a stretch of time without any pass, sweep or census begins. */
    untilQuiet: (): Promise<void> => untilStill(serviceCalls),
    close: stack.close,
  };
}

/** No call of the service for five seconds. */
async function untilStill(calls: () => Promise<number>): Promise<void> {
  let before = await calls();
  for (let still = 0; still < 5;) {
    await delay(1_000);
    const now = await calls();
    still = now === before ? still + 1 : 0;
    before = now;
  }
}
