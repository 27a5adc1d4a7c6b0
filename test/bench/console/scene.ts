import { setTimeout as delay } from "node:timers/promises";
import type { SeedRecord } from "../../../dev/emulator/index.ts";
import type { Guard } from "../../rig/guard.ts";
import type { Say } from "../../rig/program.ts";
import { startStack, type Stack } from "../../rig/stack.ts";
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
  try {
    const waitingKinds = Math.floor(failures / 5);
    const parkedKinds = failures - waitingKinds;
    await seed(stack, parked, (index) => toParked(index, parkedKinds, parked));
    await seed(stack, waitingRecords, (index) => toWaiting(index, waitingKinds));
    say(`${parked + waitingRecords} dead letters of ${failures} kinds`);
    await stack.startDaemons();
    await untilCounted(stack, { parked, waiting: waitingRecords });
    say("the passes have parked them");
  } catch (error) {
    await stack.close();
    throw error;
  }
  const serviceCalls = async (): Promise<number> => (await stack.emulator.journal("request")).length;
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

const seededAtOnce = 20_000;

async function seed(stack: Stack, count: number, toRecord: (index: number) => SeedRecord): Promise<void> {
  for (let from = 0; from < count; from += seededAtOnce) {
    const length = Math.min(seededAtOnce, count - from);
    await stack.emulator.seed(Array.from({ length }, (_, index) => toRecord(from + index)));
  }
}

interface Counts {
  readonly drains: readonly {
    readonly drain: string;
    readonly parked: number | null;
    readonly outlook: { readonly waiting: number };
    readonly openPass: unknown;
  }[];
}

async function untilCounted(
  stack: Stack,
  wanted: { readonly parked: number; readonly waiting: number },
): Promise<void> {
  const url = `http://${stack.daemons[0]!.consoleAddress()}/api/v1/status`;
  const isDone = async (): Promise<boolean> => {
    const answer = await fetch(url);
    // Redis is busy with what the passes write.
    if (!answer.ok) return false;
    const { drains } = (await answer.json()) as Counts;
    const sum = (of: (drain: Counts["drains"][number]) => number): number =>
      drains.reduce((total, one) => total + of(one), 0);
    return (
      drains.every(({ openPass }) => openPass === null) &&
      sum(({ parked }) => parked ?? 0) === wanted.parked &&
      sum(({ outlook }) => outlook.waiting) === wanted.waiting
    );
  };
  await waitUntil("all that was seeded to be parked or held", isDone, 10 * 60_000);
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
