import { describe, expect, it } from "vitest";
import type { EntryOf } from "../../../../../dev/emulator/index.ts";
import type { PassId, SourceId } from "../../../../../src/job/contracts/ids.ts";
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

describe("a rate per host", () => {
  it("keeps one host at it while another goes on, also behind a long queue of the first", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: withLimits("{ perHost: 5/s }") });
    const other = rig.receiver.url.replace("127.0.0.1", "localhost");
    rig.seed(18, {}, 60 * 60_000);
    rig.seed(4, { url: `${other}/hook` }, 30 * 60_000);
    const startAt = Date.now();
    expect(await rig.pass()).toMatchObject({ kind: "closed", tally: { republished: 22, due: 0, held: 0 } });
    const entries = accepted(rig);
    const ofOther = entries.filter(({ url }) => url.includes("localhost"));
    const ofFirst = entries.filter(({ url }) => !url.includes("localhost"));
    expectRate(ofFirst, startAt, 5);
    expect(ofOther.at(-1)!.seq).toBeLessThan(ofFirst[5]!.seq);
  }, 60_000);

  it("that is slow holds what has no turn: due, with the limit, the host and the time, until a later pass", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: withLimits("{ perHost: 100/h }") });
    rig.seed(4);
    expect(await rig.pass()).toMatchObject({
      tally: { republished: 1, due: 3, held: 0, reasons: { due: { "rate-limit": 3 } } },
    });
    const host = new URL(rig.receiver.url).host;
    const explanations = held(rig, "rate-limit");
    expect(explanations).toHaveLength(3);
    for (const text of explanations) {
      expect(text).toContain('hold: rate-limit (rule "outage", until 20');
      expect(text).toContain(`): limits.perHost is 100/h, for ${host}`);
    }
    expect(await rig.drain.source.passes.facts(rig.drain.config.name)).toMatchObject({ due: 3, held: 0 });
    expect(rig.emulator.dlq.size).toBe(3);
  }, 60_000);
});

describe("a rule's limit", () => {
  it("holds that rule to it and no other", async () => {
    const rule = "      - { name: careful, when: { label: big }, then: republish, limit: 2/s }\n";
    const rig = await createRig({ redisUrl: redis.url(), drain: withLimits("{}", rule) });
    rig.seed(5, { label: ["big"] }, 60 * 60_000);
    rig.seed(30, {}, 30 * 60_000);
    const startAt = Date.now();
    expect(await rig.pass()).toMatchObject({ tally: { republished: 35, due: 0 } });
    const entries = accepted(rig);
    expect(entries).toHaveLength(35);
    // Two careful ones and all others at once; then two careful ones a second.
    const careful = entries.slice(30);
    expectRate(careful, startAt, 2);
    expect(careful.at(-1)!.at - entries[0]!.at).toBeLessThan(10_000);
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

  it("per day is one for all passes and replicas, and says when the next day begins", async () => {
    const drain = withLimits("{ perDay: 7 }");
    const rig = await createRig({ redisUrl: redis.url(), drain });
    const twin = await createRig({ redisUrl: redis.url(), drain, twinOf: rig });
    rig.seed(10);
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    expect(await rig.pass()).toMatchObject({ tally: { republished: 7, due: 3 } });
    rig.seed(2);
    await twin.drain.source.passes.forceFull(twin.drain.config.name);
    expect(await twin.pass()).toMatchObject({
      tally: { republished: 0, due: 5, reasons: { due: { "day-limit": 5 } } },
    });
    expect(held(twin, "day-limit")[0]).toMatch(
      /^hold: day-limit \(rule "outage", until \d{4}-\d\d-\d\dT00:00:00\.000Z\): limits\.perDay is 7$/,
    );
  }, 60_000);

  it("is not used up by what was begun by nobody or could not be sent", async () => {
    const rig = await createRig({
      redisUrl: redis.url(),
      drain: withLimits("{ publish: 100/s, perDay: 10 }"),
    });
    const pauses = rig.core.sources.get("default" as SourceId)!.pauses;
    rig.seed(10);
    await pauses.pause({ drain: rig.drain.config.name, reason: "test", by: "test", at: Date.now() });
    expect(await rig.pass()).toMatchObject({
      tally: { republished: 0, due: 10, reasons: { due: { paused: 10 } } },
    });
    await pauses.resume({ drain: rig.drain.config.name });
    expect(await rig.pass()).toMatchObject({ tally: { republished: 10, due: 0 } });
  }, 60_000);
});

describe("a page that waits for capacity", () => {
  it("ends its wait when the work is stopped, and leaves the rest due", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: withLimits("{ publish: 10/s }") });
    rig.seed(60);
    const stop = new AbortController();
    const first = rig.emulator.journal.waitFor((entry) => entry.type === "accepted");
    const working = workOn(rig, 0, null, stop.signal);
    await first;
    stop.abort(new Error("stopping"));
    const { tally } = await working;
    expect(tally.republished + tally.due).toBe(60);
    expect(tally.republished).toBeLessThanOrEqual(30);
    expect(tally.reasons.due).toEqual({ stopping: tally.due });
    expect(rig.emulator.dlq.size).toBe(tally.due);
  }, 60_000);

  it("asks Redis nothing where there are no limits and no guards", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: withLimits("{}") });
    rig.seed(20);
    expect((await workOn(rig, 0)).tally.republished).toBe(20);
    const prefix = rig.core.redis.keyPrefix;
    expect(await rig.core.redis.command("KEYS", `${prefix}:*limits*`)).toEqual([]);
    expect(await rig.core.redis.command("KEYS", `${prefix}:*guards*`)).toEqual([]);
  }, 60_000);
});
