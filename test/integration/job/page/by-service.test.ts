/** A rule with `via: service`: the service's own retry, for what a batch cannot carry. */
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { notSentCoolMs } from "../../../../src/job/page/publish/let-cool.ts";
import { behindTheHorizon, createRig, impatient, takeoverMs, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const drain = `
    minAge: 0s
    attempts: { max: 3, wait: [0s] }
    rules:
      - { name: plain, when: { path: /plain }, then: republish }
      - { name: own, when: any, then: republish, via: service }
`;
const open = (more: object = {}) =>
  createRig({ redisUrl: redis.url(), source: "{ serviceRetry: true }", drain, settings: impatient, ...more });

const bytesOf = (number: number): Buffer => Buffer.from([0xff, 0xfe, 0x00, number]);
const binary = (rig: Rig, number = 1): DlqId =>
  rig.seed(1, { body: "", bodyBase64: bytesOf(number).toString("base64") })[0] as DlqId;
const retries = (rig: Rig) =>
  rig.emulator.journal.entries("request").filter(({ operation }) => operation === "retry");
const viewOf = async (rig: Rig, dlqId: DlqId) => (await rig.drain.source.ledger.peek([dlqId])).views[0];
const sent = (rig: Rig): readonly string[] =>
  rig.receiver.deliveries.map(({ bytes }) => bytes.toString("hex"));

it("what a batch cannot carry is sent byte for byte, in one call each, and deleted by the service alone", async () => {
  const rig = await open();
  const ids = [1, 2, 3].map((number) => binary(rig, number));
  expect(await rig.pass()).toMatchObject({ tally: { republished: 3, deleted: 3, parked: 0 } });
  await rig.emulator.idle();
  expect(sent(rig).toSorted()).toEqual([1, 2, 3].map((number) => bytesOf(number).toString("hex")));
  expect(retries(rig)).toHaveLength(3);
  expect([rig.callsOf("batch"), rig.callsOf("delete"), rig.emulator.dlq.size]).toEqual([0, 0, 0]);
  expect(await viewOf(rig, ids[0]!)).toMatchObject({
    state: "published",
    as: expect.stringMatching(/^msg_/),
  });
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
});

describe("an answer that never comes", () => {
  const anId = expect.stringMatching(/^msg_/) as string;
  it.each([
    // It is gone, and nobody knows what it was published as.
    ["after", null, "cool"],
    ["before", anId, "published"],
  ] as const)("%s the effect: delivered once, without a double", async (when, messageId, state) => {
    const rig = await open();
    const dlqId = binary(rig);
    rig.emulator.faults.add({ kind: "drop-answer", operation: "retry", when, count: 1 });
    expect(await rig.pass()).toMatchObject({ tally: { republished: 0, inDoubt: 1 } });
    rig.advance(takeoverMs);
    await rig.sweep();
    await rig.emulator.idle();
    expect(sent(rig)).toEqual([bytesOf(1).toString("hex")]);
    expect(rig.emulator.dlq.size).toBe(0);
    expect(rig.recordsOf("record:published")).toMatchObject([{ dlqId, messageId, attempt: 1 }]);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
    expect(await viewOf(rig, dlqId)).toMatchObject({ state });
    expect(rig.eventsOf("double:declared")).toEqual([]);
  });

  it("and left the record where it was lets it go again, at any time and undoubled", async () => {
    const rig = await open();
    binary(rig);
    rig.emulator.faults.add({ kind: "status", operation: "retry", status: 500 });
    expect(await rig.pass()).toMatchObject({ tally: { inDoubt: 1 } });
    rig.emulator.faults.clear();
    // Past the horizon within which a batch may be posted again.
    rig.advance(30 * 60_000);
    await rig.sweep();
    await rig.emulator.idle();
    expect(sent(rig)).toHaveLength(1);
    expect(rig.recordsOf("record:published")).toMatchObject([{ messageId: expect.any(String), attempt: 1 }]);
    expect(rig.eventsOf("double:declared")).toEqual([]);
  });
});

it("a call that fails whenever it is made is made more and more rarely by sweeps", async () => {
  const rig = await open();
  binary(rig);
  rig.emulator.faults.add({ kind: "status", operation: "retry", status: 500 });
  await rig.pass();
  for (const calls of [2, 2]) {
    rig.advance(takeoverMs);
    await rig.sweep();
    expect(retries(rig)).toHaveLength(calls);
  }
});

it("a record that somebody else took is neither counted as published nor kept open", async () => {
  const rig = await open();
  const dlqId = binary(rig);
  const { serviceRetry } = rig.drain.source;
  const { retry } = serviceRetry;
  serviceRetry.retry = (...call) => {
    rig.emulator.dlq.remove([dlqId]);
    return retry(...call);
  };
  expect(await rig.pass()).toMatchObject({ tally: { republished: 0, inDoubt: 0 } });
  expect(retries(rig)).not.toEqual([]);
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 0 });
});

it.each([
  [405, "method not allowed", 1],
  // It may be about the id, until that is listed again.
  [404, "404 page not found", 2],
])(
  "a service without the endpoint answers %s and is not asked for a while: what a batch cannot carry is parked, the rest is held",
  async (status, body, passes) => {
    const rig = await open();
    rig.emulator.faults.add({ kind: "status", operation: "retry", status, body });
    const dlqId = binary(rig);
    for (let pass = 0; pass < passes; pass += 1) {
      expect(rig.eventsOf("service-retry:switched-off")).toEqual([]);
      await rig.fullPass();
      rig.advance(notSentCoolMs);
    }
    rig.seed(1);
    expect(rig.eventsOf("service-retry:switched-off")).toHaveLength(1);
    expect(await rig.fullPass()).toMatchObject({
      tally: { reasons: { parked: { "binary-body": 1 }, held: { "no-service-retry": 1 } } },
    });
    expect(retries(rig)).toHaveLength(passes);
    expect(await viewOf(rig, dlqId)).toMatchObject({ state: "parked", reason: "binary-body" });
    expect(rig.emulator.dlq.size).toBe(2);
  },
);

it("a message that comes back is known by its id, and is sent as often as its drain allows", async () => {
  const rig = await open();
  rig.receiver.answer = () => 503;
  binary(rig);
  let last;
  for (const comeBacks of [0, 1, 1, 1, 0]) {
    last = await rig.fullPass();
    expect(last).toMatchObject({ tally: { comeBacks } });
    await behindTheHorizon(rig);
  }
  expect(rig.recordsOf("record:published").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(last).toMatchObject({ tally: { reasons: { parked: { "attempts-exhausted": 1 } } } });
});

it("a lane holds it back too: its first step comes back, known by the ids of its messages, and the rest is held", async () => {
  const lane = "    lane: { canary: 2, watch: 30s, haltAt: 20%, probeEvery: 5m }\n";
  const rig = await open({ drain: lane + drain.replace(/^\n/, "") });
  rig.receiver.answer = () => 503;
  for (let number = 0; number < 10; number += 1) binary(rig, number);
  expect(await rig.pass()).toMatchObject({ tally: { reasons: { held: { "lane-watched": 8 } } } });
  await behindTheHorizon(rig);
  expect(await rig.fullPass()).toMatchObject({ tally: { comeBacks: 2, republished: 0 } });
  expect(rig.eventsOf("lane:moved")).toMatchObject([{ to: "halted" }]);
  expect(retries(rig)).toHaveLength(2);
});
