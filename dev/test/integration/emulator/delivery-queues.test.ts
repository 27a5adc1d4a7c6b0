import { describe, expect, test } from "vitest";
import {
  createGate,
  createStand,
  type CallAnswer,
  type Stand,
} from "../../../../test/support/delivery-stand.ts";

const ok: CallAnswer = { status: 200 };
const standingClock = { now: () => 1_700_000_000_000 };

const queued = (stand: Stand, bodies: readonly string[], headers: object = {}): object[] =>
  bodies.map((body) => ({ destination: stand.url, queue: "q", body, headers }));

const pause = (stand: Stand, paused: boolean): void =>
  void stand.core.directory.putQueue("q", undefined, paused);

const nothingUnderWay = async (stand: Stand, answered: number): Promise<void> => {
  const attempts = () => stand.core.journal.entries("delivery").length;
  await expect.poll(attempts, { interval: 5 }).toBe(answered);
  // One exchange with the destination from here to there and back: whatever was sent before has come by then.
  await fetch(`${stand.url}/probe`);
};

describe("a queue", () => {
  test("delivers in the order of acceptance over several batches, retries of its head included", async () => {
    const stand = await createStand();
    stand.answer = ({ body, headers }) => ({
      status: Number(body) % 4 === 0 && headers["upstash-retried"] !== "2" ? 500 : 200,
    });
    const expected: string[] = [];
    for (let batch = 0; batch < 5; batch++) {
      const bodies = Array.from({ length: 6 }, (_, index) => String(batch * 6 + index));
      stand.publish(queued(stand, bodies));
      for (const body of bodies) expected.push(...(Number(body) % 4 === 0 ? [body, body, body] : [body]));
      // The next batch comes while this one is on its way.
      await expect.poll(() => stand.calls.length, { interval: 5 }).toBeGreaterThan(batch);
    }
    await stand.core.deliveries.idle();
    expect(stand.bodies()).toEqual(expected);
    expect(stand.mostAtOnce).toBe(1);
  });

  test("goes on with the next message once its head has become a dead letter", async () => {
    const stand = await createStand();
    stand.answer = ({ body }) => ({ status: body === "poison" ? 500 : 200 });
    stand.publish(queued(stand, ["poison", "after"], { "Upstash-Retries": "1" }));
    await stand.core.deliveries.idle();
    expect(stand.bodies()).toEqual(["poison", "poison", "after"]);
    expect(stand.deadLetters()).toEqual([expect.objectContaining({ body: "poison", queueName: "q" })]);
  });

  test("takes a new parallelism at once, up and down", async () => {
    const stand = await createStand();
    const gates = new Map<string, ReturnType<typeof createGate<CallAnswer>>>();
    stand.answer = ({ body }) => {
      const gate = createGate<CallAnswer>();
      gates.set(body, gate);
      return gate.passed;
    };
    stand.publish(queued(stand, ["0", "1", "2", "3", "4", "5"]));
    await stand.called(1);
    stand.core.directory.putQueue("q", 3);
    await stand.called(3);
    stand.core.directory.putQueue("q", 1);
    for (const body of ["0", "1"]) gates.get(body)!.open(ok);
    await expect.poll(() => stand.core.journal.counts().delivered).toBe(2);
    expect(stand.calls).toHaveLength(3);
    gates.get("2")!.open(ok);
    await stand.called(4);
    expect(stand.core.deliveries.pending).toBe(3);
  });
});

describe("a paused queue", () => {
  test("delivers nothing until it is resumed, and then everything in order", async () => {
    const stand = await createStand();
    pause(stand, true);
    stand.publish(queued(stand, ["0", "1", "2"]));
    stand.publish([{ destination: stand.url, body: "beside" }]);
    await nothingUnderWay(stand, 1);
    expect(stand.bodies().filter((body) => body !== "")).toEqual(["beside"]);
    pause(stand, false);
    await stand.core.deliveries.idle();
    expect(stand.bodies().filter((body) => body !== "")).toEqual(["beside", "0", "1", "2"]);
  });

  test("does not retry its head either, however much time passes", async () => {
    const stand = await createStand({ clock: standingClock, retryScale: 1 });
    stand.answer = ({ headers }) => ({ status: headers["upstash-retried"] === "0" ? 500 : 200 });
    stand.publish(queued(stand, ["head", "next"]));
    await nothingUnderWay(stand, 1);
    pause(stand, true);
    stand.core.clock.advance(86_400_000);
    await nothingUnderWay(stand, 1);
    expect(stand.callsTo("/")).toHaveLength(1);
    pause(stand, false);
    await stand.called(5);
    expect(stand.callsTo("/").map(({ body }) => body)).toEqual(["head", "head", "next"]);
  });

  test("does not let through who waited for a connection when it was paused", async () => {
    const stand = await createStand({ maxInFlight: 1 });
    const gate = createGate<CallAnswer>();
    stand.answer = ({ path }) => (path === "/slow" ? gate.passed : ok);
    stand.publish([{ destination: `${stand.url}/slow` }]);
    await stand.called(1);
    stand.publish(queued(stand, ["waits"]));
    pause(stand, true);
    gate.open(ok);
    await nothingUnderWay(stand, 1);
    expect(stand.bodies()).not.toContain("waits");
    pause(stand, false);
    await stand.core.deliveries.idle();
    expect(stand.bodies()).toContain("waits");
  });
});
