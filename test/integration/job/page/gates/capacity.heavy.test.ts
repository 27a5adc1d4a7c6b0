import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../../../../dev/emulator/index.ts";
import type { PassId } from "../../../../../src/job/contracts/ids.ts";
import { workPage } from "../../../../../src/job/page/work-page.ts";
import { secondsAhead } from "../../../../rig/outcome.ts";
import { createRig, type Rig } from "../../../../support/rig.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

/** A drain that republishes every 503 with these limits. */
function withLimits(limits: string, rules = ""): string {
  return `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    limits: ${limits}
    rules:
${rules}      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
}

function accepted(rig: Rig): readonly EntryOf<"accepted">[] {
  return rig.emulator.journal.entries("accepted");
}

function held(rig: Rig, reason: string): readonly string[] {
  return rig
    .recordsOf("record:decided")
    .filter(({ decision }) => decision.reason === reason)
    .map(({ explain }) => explain());
}

/**
 * Whether no more was granted since `startAt` than a rate allows: the n-th was accepted after its grant, and
 * its grant is as many whole seconds after the first as there are full seconds' worths before it.
 */
function expectRate(entries: readonly { readonly at: number }[], startAt: number, perSecond: number): void {
  const early = entries.filter(({ at }, n) => at - startAt < 1_000 * Math.floor(n / perSecond) - 2);
  expect(early).toEqual([]);
}

const never = new AbortController().signal;

/** No batch has its turn before so many wait for one. */
function haveTurnsTogether(rig: Rig, batches: number): void {
  const { source } = rig.drain;
  const { takeBatchTurn } = source;
  const waiters: (() => void)[] = [];
  let count = 0;
  Object.assign(source, {
    takeBatchTurn: async (signal: AbortSignal) => {
      count += 1;
      if (count < batches) await new Promise<void>((resolve) => waiters.push(resolve));
      for (const resolve of waiters.splice(0)) resolve();
      return takeBatchTurn(signal);
    },
  });
}

/** Works one page of up to 100 records, the `number`-th of the DLQ, as a window of this pass does. */
async function workOn(rig: Rig, number: number, passId: PassId | null = null, stopping: AbortSignal = never) {
  const { source } = rig.drain;
  const { at: readAt } = await source.ledger.now();
  let page = await source.service.list({ select: {}, count: 60 }, never);
  for (let turned = 0; turned < number && page.cursor !== undefined; turned += 1) {
    page = await source.service.list({ select: {}, count: 60, cursor: page.cursor }, never);
  }
  const drain = passId === null ? rig.drain : { ...rig.drain, passId };
  return workPage(drain, { records: page.records, readAt }, never, { stopping });
}

describe("a rate per drain", () => {
  it("is shared by two replicas that work at once, and is used", async () => {
    const drain = withLimits("{ publish: 20/s }");
    const rig = await createRig({ redisUrl: redis.url(), drain });
    const twin = await createRig({ redisUrl: redis.url(), drain, twinOf: rig });
    rig.seed(120);
    const startAt = Date.now();
    const outcomes = await Promise.all([workOn(rig, 0), workOn(twin, 1)]);
    expect(outcomes.map(({ tally }) => tally.republished)).toEqual([60, 60]);
    const entries = accepted(rig);
    expect(entries).toHaveLength(120);
    expectRate(entries, startAt, 20);
    expect(entries.at(-1)!.at - startAt).toBeLessThan(15_000);
    // Six seconds' worths, each shared by two at most: no batches of one here and there.
    expect(rig.emulator.journal.counts().requests["batch 200"]).toBeLessThanOrEqual(20);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()].every((times) => times === 1)).toBe(true);
  }, 60_000);
});

describe("batches that wait for their turn", () => {
  it("leave at the rate, although their grants are of different seconds", async () => {
    const perSecond = 20;
    const rig = await createRig({ redisUrl: redis.url(), drain: withLimits(`{ publish: ${perSecond}/s }`) });
    rig.seed(180);
    const startAt = Date.now();
    haveTurnsTogether(rig, 3);
    const outcomes = await Promise.all([0, 1, 2].map((number) => workOn(rig, number)));
    expect(outcomes.map(({ tally }) => tally.republished)).toEqual([60, 60, 60]);
    const entries = accepted(rig);
    expect(entries[0]!.at - startAt).toBeGreaterThan(1_900);
    // One second's worth at once, and half a second that a batch may be late.
    expect(secondsAhead(entries, perSecond)).toBeLessThanOrEqual(1.5);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()].every((times) => times === 1)).toBe(true);
  }, 60_000);
});

describe("a ceiling", () => {
  it("per pass ends a pass's publishes over all its windows, and the next pass goes on", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: withLimits("{ perPass: 130 }") });
    rig.seed(300);
    expect(await rig.pass()).toMatchObject({
      tally: { republished: 130, due: 170, reasons: { due: { "pass-limit": 170 } } },
    });
    expect(held(rig, "pass-limit")[0]).toBe('hold: pass-limit (rule "outage"): limits.perPass is 130');
    expect(await rig.pass()).toMatchObject({ tally: { republished: 130, due: 40 } });
    expect(await rig.pass()).toMatchObject({ tally: { republished: 40, due: 0 } });
    expect(accepted(rig)).toHaveLength(300);
  }, 60_000);
});
