import { onTestFinished } from "vitest";
import { openCore } from "../../src/job/compose/open-core.ts";
import type { Core } from "../../src/job/compose/build-core.ts";
import { createTeardown } from "../../src/teardown.ts";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../dev/emulator/index.ts";
import type { RedriverEvent } from "../../src/job/contracts/events.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import { drainInProcess, runPassInProcess, type PassInProcess } from "../../src/job/pass/drain-in-process.ts";
import { createPagesInFlight } from "../../src/job/pass/pages-in-flight.ts";
import { windowSizes, type WindowSizes } from "../../src/job/pass/split-window.ts";
import type { Ledger } from "../../src/job/contracts/ledger.ts";
import type { DrainRuntime, SourceRuntime } from "../../src/job/runtime.ts";
import { createSweepMemory, sweep } from "../../src/job/sweep/sweep.ts";
import { defineScript, type RedisScript } from "../../src/job/redis/script-runner.ts";
import { chosenKnobs, chosenOrder, turnedDown, turnedUp } from "./knobs.ts";
import { createReceiver, type Receiver } from "./receiver.ts";
import { load, settingsOf } from "./loaded-document.ts";
import { recordEvents, type RecordedEvents } from "./record-events.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
/** Of what nobody stops. */
export const never = new AbortController().signal;

/** Everything but BullMQ: emulator, receiver, Redis ledger and the stages, in this process, for one test. */
export interface Rig extends Pick<RecordedEvents, "recordsOf"> {
  readonly eventsOf: RecordedEvents["of"];
  readonly emulator: Emulator;
  readonly receiver: Receiver;
  readonly core: Core;
  readonly events: RedriverEvent[];
  readonly drain: DrainRuntime;
  /** One pass over the drain `main`. */
  pass(): Promise<PassInProcess>;
  /** As the command `drain`: full passes, until no lane holds what only waits for its watch. */
  drainAll(): Promise<PassInProcess>;
  fullPass(): Promise<PassInProcess>;
  sweep(): Promise<unknown>;
  /** Records in the emulator's DLQ that failed with this status, entered `ageMs` ago. */
  seed(count: number, fields?: Readonly<Record<string, unknown>>, ageMs?: number): string[];
  /**
   * Everybody's time of day goes forward: its processes', the service's and Redis's. What is measured or
   * slept does not.
   */
  advance(ms: number): void;
  /** How many requests of this kind the emulator has answered or cut. */
  callsOf(operation: "list" | "batch" | "delete"): number;
  readonly ahead: { ms: number };
}

/** The body of a drain that publishes what failed with 503 without any wait. */
export const atOnce = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** S = T = 1 s: a takeover after 17 s. */
export const impatient = {
  "ledger.sendBy": "1s",
  "service.batchTimeout": "1s",
  "service.deleteTimeout": "1s",
};
export const takeoverMs = 17_500;

/**
 * What a test needs, whatever TEST_KNOBS says. Windows of any size are cut if several may be worked at once.
 */
export const oneWindow = { windowSizes: turnedDown.windowSizes, windowsAtOnce: turnedDown.windowsAtOnce };
/** A pass lists one page after the other by one cursor: a cursor that is a position skips behind deletes. */
export const oneCursor = turnedDown;
export const pagesSideBySide = { pagesInFlight: turnedUp.pagesInFlight };
export const manyWindows = { windowSizes: turnedUp.windowSizes };
/** Windows are cut as the product cuts them. */
export const ownWindows = { windowSizes };

export interface RigOptions {
  readonly redisUrl: string;
  /** Lines of the drain `main` below `source` and `mode`. */
  readonly drain?: string;
  readonly mode?: "plan" | "live";
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly emulator?: EmulatorOptions;
  readonly source?: string;
  /** Its name in the document; `default` without. */
  readonly sourceName?: string;
  /** Whole lines at the top of the document, such as `indexes:`. */
  readonly document?: string;
  /** Pages at work at once; the product's own without. */
  readonly pagesInFlight?: Parameters<typeof createPagesInFlight>[0];
  readonly windowSizes?: WindowSizes;
  /** At once in a pass; 1 without. */
  readonly windowsAtOnce?: number;
  /** Several rigs may share one emulator, receiver and key prefix: replicas. */
  readonly twinOf?: Rig;
  /** The test's own hook; needed where tests of a file run side by side. */
  readonly onTestFinished?: (finish: () => Promise<void>) => void;
}

const ignore = (): void => undefined;

let rigs = 0;
let seeded = 0;

export async function createRig(options: RigOptions): Promise<Rig> {
  const receiver = options.twinOf?.receiver ?? (await createReceiver());
  const emulator =
    options.twinOf?.emulator ??
    (await startEmulator({ retryScale: 0, listParameters: "spec", ...chosenOrder(), ...options.emulator }));
  const keyPrefix = options.twinOf?.core.settings.redis.keyPrefix ?? `rig-${process.pid}-${(rigs += 1)}`;
  const settings = settingsOf({
    env: { REDRIVER_SERVICE_TOKEN: emulator.token, REDRIVER_SERVICE_URL: emulator.url },
    flags: { "redis.url": options.redisUrl, "redis.keyPrefix": keyPrefix, ...options.settings },
  });
  const { document } = load(toDocument(options));
  const events = recordEvents();
  const teardown = createTeardown();
  const core = openCore({
    settings,
    document,
    env: {},
    events,
    teardown,
  });
  (options.onTestFinished ?? onTestFinished)(async () => {
    await teardown.run(2_000);
    if (options.twinOf !== undefined) return;
    await emulator.close();
    await receiver.close();
  });
  await core.redis.ready(5_000);
  const main = core.drains.get("main" as DrainName);
  if (main === undefined) throw new Error("the rig's document has a drain named main");
  const ahead = options.twinOf?.ahead ?? { ms: 0 };
  const {
    pagesInFlight,
    windowSizes: sizes = main.source.windowSizes,
    windowsAtOnce = 1,
  } = { ...chosenKnobs(), ...options };
  const { clock, readAt } = main.source;
  let seenMs = ahead.ms;
  const { run } = core.redis;
  core.redis.run = (script, ...call) => run(ahead.ms === 0 ? script : movedBy(script, ahead.ms), ...call);
  const drain: DrainRuntime = {
    ...main,
    source: {
      ...main.source,
      windowSizes: sizes,
      ...(pagesInFlight === undefined ? {} : { pagesInFlight: createPagesInFlight(pagesInFlight) }),
      clock: { ...clock, now: () => clock.now() + ahead.ms },
      // The part behind it does not see this clock jump.
      readAt: async () => {
        if (seenMs === ahead.ms) return readAt();
        seenMs = ahead.ms;
        return (await main.source.ledger.now()).at;
      },
    },
  };
  const memory = createSweepMemory(drain.source.clock);
  const passSettings = { ...settings.passes, windowsAtOnce };
  const signals = { signal: never, stopping: never };
  const pass = (): Promise<PassInProcess> => runPassInProcess(drain, passSettings, signals, ignore);

  return {
    emulator,
    receiver,
    core,
    events: events.all,
    drain,
    pass,
    drainAll: () => drainInProcess(drain, { ...passSettings, alwaysFull: true }, signals, ignore, ignore),
    async fullPass() {
      await drain.source.passes.forceFull(drain.config.name);
      return pass();
    },
    callsOf: (operation) =>
      emulator.journal.entries("request").filter((entry) => entry.operation === operation).length,
    sweep: () => sweep(drain.source, core.drains, memory, never),
    seed: (count, fields = {}, ageMs = 60 * 60_000) => {
      const createdAt = Date.now() - ageMs - 5_000;
      return emulator.dlq.seed(
        Array.from({ length: count }, (_, index) => ({
          dlqId: `${Date.now() - ageMs + index}-${seeded++}`,
          url: `${receiver.url}/hook`,
          createdAt: createdAt + index,
          responseStatus: 503,
          maxRetries: 3,
          body: JSON.stringify({ id: `m-${seeded}` }),
          ...fields,
        })),
      );
    },
    advance: (ms) => {
      ahead.ms += ms;
      emulator.clock.advance(ms);
    },
    ahead,
    eventsOf: events.of,
    recordsOf: events.recordsOf,
  };
}

const defaultDrain = `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/**
 * Without the built-in limits and lane, which would make pages of a hundred take seconds and more; a drain
 * may set its own.
 */
function toDocument({
  drain = defaultDrain,
  mode = "live",
  source = "{}",
  sourceName = "default",
  document = "",
}: RigOptions): string {
  const defaults = "lane: none\n  limits: { publish: none, perHost: none, perPass: none, perDay: none }";
  return `version: 1\nsources:\n  ${sourceName}: ${source}\n${document}defaults:\n  ${defaults}\ndrains:\n  main:\n    mode: ${mode}\n${drain.replace(/^\n/, "")}`;
}

/**
 * Passes stay 5 s behind the clock: moves it until everything that has entered the DLQ lies behind their
 * horizon.
 */
export async function behindTheHorizon(rig: Rig): Promise<void> {
  await rig.emulator.idle();
  const entered = rig.emulator.journal.entries("dead-lettered").map(({ at }) => at);
  rig.advance(Math.max(0, Math.max(0, ...entered) + 6_100 + 1 - rig.emulator.clock.now()));
}

const moved = new Map<string, RedisScript>();

/** The script as it runs on a server whose clock is that much ahead. */
function movedBy(script: RedisScript, ms: number): RedisScript {
  const key = `${script.name} ${ms}`;
  const known = moved.get(key);
  if (known !== undefined) return known;
  const time = `(function() local t = redis.call('TIME') local ms = t[1] * 1000 + math.floor(t[2] / 1000) + ${ms}
    return { string.format('%d', math.floor(ms / 1000)), string.format('%d', ms % 1000 * 1000) } end)()`;
  const one = defineScript(
    script.name,
    script.lua.replaceAll("redis.call('TIME')", () => time),
  );
  moved.set(key, one);
  return one;
}

/** The source with another ledger, which also gives the time that its pages age from. */
export function withLedger(source: SourceRuntime, ledger: Ledger): SourceRuntime {
  return { ...source, ledger, readAt: async () => (await ledger.now()).at };
}
