import { describe, it, type ExpectStatic } from "vitest";
import type { DlqId } from "../../../../src/message/dead-letter.ts";
import type { MessageService } from "../../../../src/ports/service.ts";
import { runPassInProcess } from "../../../../src/redrive/pass/pass-in-process.ts";
import type { SourceRuntime } from "../../../../src/redrive/runtime.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** S = T = X = 1 s: takeover after 17 s, and with a window of 65 s no POST later than 18 s after the first. */
const impatient = {
  "ledger.sendBy": "1s",
  "ledger.networkDelay": "1s",
  "ledger.maxPageAge": "60s",
  "ledger.settleGateAge": "60s",
  "service.batchTimeout": "1s",
};
const source = "{ dedupWindow: 65s }";
const takeoverMs = 17_500;
const horizonMs = 18_500;
const never = new AbortController().signal;

function drainWith(unknownOutcome: "republish" | "park"): string {
  return `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    unknownOutcome: ${unknownOutcome}
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
}

/** One pass of a worker whose POSTs wait at a gate, as if the process had been stopped between begin and POST. */
function passThroughGate(rig: Rig): {
  readonly atGate: Promise<void>;
  open(): void;
  readonly ended: Promise<unknown>;
} {
  const arrived = new AbortController();
  const opened = new AbortController();
  const { service } = rig.drain.source;
  const gated: MessageService = {
    list: (query, signal) => service.list(query, signal),
    remove: (ids, signal) => service.remove(ids, signal),
    clockOffsetMs: () => service.clockOffsetMs(),
    publish: async (items, lastByteAllowed, signal) => {
      arrived.abort();
      await aborted(opened.signal);
      return service.publish(items, lastByteAllowed, signal);
    },
  };
  const ended = passWith(rig, { service: gated });
  return { atGate: aborted(arrived.signal), open: () => opened.abort(), ended };
}

/** One pass of a worker that makes each POST once: its retry budget is spent. */
function passWithoutRetries(rig: Rig): Promise<unknown> {
  return passWith(rig, { health: { ...rig.drain.source.health, mayRetry: () => false } });
}

function passWith(rig: Rig, source: Partial<SourceRuntime>): Promise<unknown> {
  const drain = { ...rig.drain, source: { ...rig.drain.source, ...source } };
  return runPassInProcess(
    drain,
    rig.core.settings.passes,
    { signal: never, stopping: never },
    () => undefined,
  );
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.concurrent("a worker that stops between begin and POST", () => {
  it("R05 is taken over by the sweep, and its own POST never leaves whole: delivered once", async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await createRig({ redisUrl: redis.url(), settings: impatient, source, onTestFinished });
    const twin = await createRig({
      redisUrl: redis.url(),
      settings: impatient,
      source,
      twinOf: rig,
      onTestFinished,
    });
    rig.seed(30);
    const stopped = passThroughGate(rig);
    await stopped.atGate;
    expect(await twin.drain.source.ledger.summary()).toMatchObject({ open: 30, unknown: 0 });
    await twin.sweep();
    expect(rig.emulator.dlq.size).toBe(30);
    await wait(takeoverMs);
    await twin.sweep();
    expect(rig.emulator.dlq.size).toBe(0);
    stopped.open();
    await stopped.ended;
    await rig.emulator.idle();
    expect(rig.receiver.counts().size).toBe(30);
    expect(new Set(rig.receiver.counts().values())).toEqual(new Set([1]));
    expect(await twin.drain.source.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
  }, 120_000);
});

describe.concurrent("a machine that is paused between begin and POST", () => {
  it("sends nothing when it goes on, although its monotonic clock stood still: the wall clock tells", async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await createRig({ redisUrl: redis.url(), onTestFinished });
    rig.seed(30);
    const { clock, service } = rig.drain.source;
    let pausedMs = 0;
    await passWith(rig, {
      clock: { ...clock, now: () => clock.now() + pausedMs },
      service: {
        list: (query, signal) => service.list(query, signal),
        remove: (ids, signal) => service.remove(ids, signal),
        clockOffsetMs: () => service.clockOffsetMs(),
        publish: (items, lastByteAllowed, signal) => {
          pausedMs += 60 * 60_000;
          return service.publish(items, lastByteAllowed, signal);
        },
      },
    });
    expect(pausedMs).toBeGreaterThan(0);
    expect(rig.emulator.journal.counts().accepted).toBe(0);
    expect(rig.emulator.dlq.size).toBe(30);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
  });
});

describe.concurrent("a batch whose answers nobody can read", () => {
  it("halts the source when it may not be sent again, and leaves its records in doubt", async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await createRig({ redisUrl: redis.url(), settings: impatient, source, onTestFinished });
    rig.seed(5);
    rig.emulator.faults.add({ kind: "malformed-json", operation: "batch" });
    await passWithoutRetries(rig);
    expect(rig.eventsOf("source:halted")).toMatchObject([{ code: "answer-unreadable" }]);
    expect(rig.drain.source.health.current("batch")).toMatchObject({ state: "halted" });
    await rig.emulator.idle();
    expect(new Set(rig.receiver.counts().values())).toEqual(new Set([1]));
    expect(rig.emulator.dlq.size).toBe(5);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 5, pendingDelete: 0 });
  }, 120_000);
});

/** Ten records whose POST was accepted, and no answer came. */
async function setUp(
  policy: "republish" | "park",
  onTestFinished: (finish: () => Promise<void>) => void,
  expect: ExpectStatic,
): Promise<Rig> {
  const rig = await createRig({
    redisUrl: redis.url(),
    settings: impatient,
    source,
    drain: drainWith(policy),
    emulator: { dedupWindowMs: 65_000 },
    onTestFinished,
  });
  rig.seed(10);
  rig.emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "after", count: 1 });
  await passWithoutRetries(rig);
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 10 });
  await wait(horizonMs);
  return rig;
}

describe.concurrent("an outcome that stays unknown past the deduplication window", () => {
  it("is republished by policy, under a new id, and each declared double is counted and named", async ({
    expect,
    onTestFinished,
  }) => {
    const rig = await setUp("republish", onTestFinished, expect);
    await rig.sweep();
    await rig.emulator.idle();
    expect(rig.eventsOf("double:declared")).toHaveLength(10);
    expect(rig.eventsOf("double:declared")[0]).toMatchObject({ why: "unknown-outcome-past-window" });
    expect(rig.emulator.dlq.size).toBe(0);
    expect(new Set(rig.receiver.counts().values())).toEqual(new Set([2]));
  }, 180_000);

  it("is parked by policy, delivered once, and stays in the DLQ", async ({ expect, onTestFinished }) => {
    const rig = await setUp("park", onTestFinished, expect);
    await rig.sweep();
    await rig.emulator.idle();
    expect(rig.emulator.dlq.size).toBe(10);
    expect(new Set(rig.receiver.counts().values())).toEqual(new Set([1]));
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 0 });
    const ids = rig.eventsOf("record:decided").map(({ dlqId }) => dlqId as DlqId);
    const { views } = await rig.drain.source.ledger.look(ids.slice(-1));
    expect(views).toMatchObject([{ state: "parked", reason: "outcome-unknown" }]);
  }, 180_000);
});
