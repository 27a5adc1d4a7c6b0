import { describe, expect, test } from "vitest";
import {
  createGate,
  createStand,
  type CallAnswer,
  type Stand,
} from "../../../../test/support/delivery-stand.ts";

const ok: CallAnswer = { status: 200 };
const standingClock = { now: () => 1_700_000_000_000 };
const now = standingClock.now();

const flow = {
  "Upstash-Flow-Control-Key": "k",
  "Upstash-Flow-Control-Value": "parallelism=1",
};

/** Nothing came of these messages: no attempt that counts, no dead letter, no callback. */
function leftNoTrace(stand: Stand, messageIds: readonly string[]): void {
  for (const id of messageIds) {
    expect(stand.core.deliveries.find(id)).toBeUndefined();
    const entries = stand.core.journal
      .entries()
      .filter((entry) => "messageId" in entry && entry.messageId === id);
    expect(entries.map(({ type }) => type)).toEqual(["accepted", "cancelled"]);
  }
}

describe("what is under way", () => {
  test("is found with its message, its attempt and the moment of the next, until it has ended", async () => {
    const stand = await createStand({ clock: standingClock, retryScale: 1 });
    const gate = createGate<CallAnswer>();
    stand.answer = ({ headers }) => (headers["upstash-retried"] === "0" ? { status: 500 } : gate.passed);
    const { deliveries } = stand.core;
    const [delayed] = stand.publish([{ destination: stand.url, headers: { "Upstash-Delay": "1h" } }]);
    expect(deliveries.find(delayed!)).toMatchObject({
      message: { messageId: delayed, url: stand.url },
      retried: 0,
      nextAttemptAt: now + 3_600_000,
    });
    stand.core.clock.advance(3_600_000);
    await expect.poll(() => deliveries.find(delayed!)?.retried).toBe(1);
    expect(deliveries.find(delayed!)?.nextAttemptAt).toBeCloseTo(now + 3_600_000 + Math.exp(2.5) * 1_000, 0);
    stand.core.clock.advance(13_000);
    await stand.called(2);
    expect(deliveries.find(delayed!)).toMatchObject({ retried: 1, nextAttemptAt: undefined });
    expect(Array.from(deliveries.list(), ({ message }) => message.messageId)).toEqual([delayed]);
    gate.open(ok);
    await deliveries.idle();
    expect(deliveries.find(delayed!)).toBeUndefined();
    expect([...deliveries.list()]).toEqual([]);
  });

  test("is listed in the order of acceptance, callbacks included", async () => {
    const stand = await createStand({ clock: standingClock });
    const gate = createGate<CallAnswer>();
    stand.answer = ({ path }) => (path === "/told" ? gate.passed : ok);
    const later = { "Upstash-Delay": "1h" };
    const ids = stand.publish([
      { destination: stand.url, headers: later },
      { destination: stand.url, headers: { "Upstash-Callback": `${stand.url}/told` } },
      { destination: stand.url, headers: later },
    ]);
    await stand.called(2);
    const listed = Array.from(stand.core.deliveries.list(), ({ message }) => message);
    expect(listed.map(({ messageId }) => messageId)).toEqual([
      ids[0],
      ids[2],
      expect.stringMatching(/^msg_/),
    ]);
    expect(listed[2]).toMatchObject({ url: `${stand.url}/told` });
    gate.open(ok);
  });
});

describe("a cancelled message", () => {
  test("is unknown afterwards, and an unknown one cannot be cancelled", async () => {
    const stand = await createStand({ clock: standingClock });
    const [id] = stand.publish([{ destination: stand.url, headers: { "Upstash-Delay": "1h" } }]);
    expect(stand.core.deliveries.cancel("msg_unknown")).toBe(false);
    expect(stand.core.deliveries.cancel(id!)).toBe(true);
    expect(stand.core.deliveries.cancel(id!)).toBe(false);
    expect(stand.core.deliveries.pending).toBe(0);
    stand.core.clock.advance(7_200_000);
    await stand.core.deliveries.idle();
    expect(stand.calls).toEqual([]);
    leftNoTrace(stand, [id!]);
  });

  test("that waits for its queue is passed over", async () => {
    const stand = await createStand();
    const gate = createGate<CallAnswer>();
    stand.answer = ({ body }) => (body === "0" ? gate.passed : ok);
    const ids = stand.publish(["0", "1", "2"].map((body) => ({ destination: stand.url, queue: "q", body })));
    await stand.called(1);
    expect(stand.core.deliveries.cancel(ids[1]!)).toBe(true);
    gate.open(ok);
    await stand.core.deliveries.idle();
    expect(stand.bodies()).toEqual(["0", "2"]);
    leftNoTrace(stand, [ids[1]!]);
  });

  test("that blocks its queue between two attempts gives its turn to the next", async () => {
    const stand = await createStand({ clock: standingClock, retryScale: 1 });
    stand.answer = ({ body }) => ({ status: body === "head" ? 500 : 200 });
    const headers = { "Upstash-Failure-Callback": `${stand.url}/failed` };
    const ids = stand.publish(
      ["head", "next"].map((body) => ({ destination: stand.url, queue: "q", body, headers })),
    );
    await expect.poll(() => stand.core.deliveries.find(ids[0]!)?.nextAttemptAt).toBeTypeOf("number");
    stand.core.deliveries.cancel(ids[0]!);
    await stand.core.deliveries.idle();
    stand.core.clock.advance(7 * 86_400_000);
    expect(stand.bodies()).toEqual(["head", "next"]);
    expect(stand.deadLetters()).toEqual([]);
  });

  test("that waits for its flow control key is passed over", async () => {
    const stand = await createStand();
    const gate = createGate<CallAnswer>();
    stand.answer = ({ body }) => (body === "0" ? gate.passed : ok);
    const ids = stand.publish(
      ["0", "1", "2"].map((body) => ({ destination: stand.url, body, headers: flow })),
    );
    await stand.called(1);
    stand.core.deliveries.cancel(ids[1]!);
    expect(stand.core.deliveries.flowControl.states()).toMatchObject([
      { flowControlKey: "k", parallelismCount: 1, waitListSize: 1 },
    ]);
    gate.open(ok);
    await stand.core.deliveries.idle();
    expect(stand.bodies()).toEqual(["0", "2"]);
    leftNoTrace(stand, [ids[1]!]);
  });

  test("that waits for a connection gives its share back", async () => {
    const stand = await createStand({ maxInFlight: 1 });
    const gate = createGate<CallAnswer>();
    stand.answer = ({ path }) => (path === "/slow" ? gate.passed : ok);
    stand.publish([{ destination: `${stand.url}/slow` }]);
    await stand.called(1);
    const ids = stand.publish(["1", "2"].map((body) => ({ destination: stand.url, body, headers: flow })));
    stand.core.deliveries.cancel(ids[0]!);
    expect(stand.core.deliveries.flowControl.states()).toMatchObject([
      { parallelismCount: 1, waitListSize: 0 },
    ]);
    gate.open(ok);
    await stand.core.deliveries.idle();
    expect(stand.bodies()).toEqual(["", "2"]);
    expect(stand.core.deliveries.flowControl.states()).toMatchObject([
      { parallelismCount: 0, waitListSize: 0 },
    ]);
  });

  test.each([200, 500])("whose call is under way ends with it, whatever it answers (%d)", async (status) => {
    const stand = await createStand();
    const gate = createGate<CallAnswer>();
    stand.answer = ({ body }) => (body === "head" ? gate.passed : ok);
    const headers = {
      ...flow,
      "Upstash-Callback": `${stand.url}/told`,
      "Upstash-Failure-Callback": `${stand.url}/failed`,
    };
    const ids = stand.publish(
      ["head", "next"].map((body) => ({ destination: stand.url, queue: "q", body, headers })),
    );
    await stand.called(1);
    expect(stand.core.deliveries.cancel(ids[0]!)).toBe(true);
    leftNoTrace(stand, [ids[0]!]);
    // Its call is still going on, so queue and key are still taken.
    expect(stand.core.deliveries.pending).toBe(2);
    expect(stand.core.deliveries.flowControl.states()).toMatchObject([{ parallelismCount: 1 }]);
    gate.open({ status });
    await stand.core.deliveries.idle();
    expect(stand.callsTo("/").map(({ body }) => body)).toEqual(["head", "next"]);
    expect(stand.callsTo("/told")).toHaveLength(1);
    expect(stand.deadLetters()).toEqual([]);
    leftNoTrace(stand, [ids[0]!]);
  });
});
