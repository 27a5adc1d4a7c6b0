import { expect, test } from "vitest";
import {
  createGate,
  createStand,
  type CallAnswer,
  type Stand,
} from "../../../../test/support/delivery-stand.ts";

const ok: CallAnswer = { status: 200 };
const standingClock = { now: () => 1_700_000_000_000 };

const flow = (value: string, key = "k"): Record<string, string> => ({
  "Upstash-Flow-Control-Key": key,
  "Upstash-Flow-Control-Value": value,
  "Upstash-Retries": "0",
});

const stateOf = (stand: Stand, key = "k") =>
  stand.core.deliveries.flowControl.states().find((state) => state.flowControlKey === key);

const settled = (stand: Stand, state: object) =>
  expect.poll(() => stateOf(stand), { interval: 5 }).toMatchObject(state);

const many = (count: number, url: string, headers: object, more: object = {}): object[] =>
  Array.from({ length: count }, (_, index) => ({ destination: url, body: String(index), headers, ...more }));

test("never more calls of a key are under way than its parallelism, over all URLs and queues", async () => {
  const stand = await createStand();
  const gate = createGate<CallAnswer>();
  stand.answer = () => gate.passed;
  stand.core.directory.putQueue("wide", 10);
  stand.publish(many(4, `${stand.url}/plain`, flow("parallelism=2")));
  stand.publish(many(4, `${stand.url}/queued`, flow("parallelism=2"), { queue: "wide" }));
  await stand.called(2);
  expect(stateOf(stand)).toMatchObject({ parallelismCount: 2, waitListSize: 6, parallelismMax: 2 });
  gate.open(ok);
  await stand.core.deliveries.idle();
  expect(stand.calls).toHaveLength(8);
  expect(stand.mostAtOnce).toBe(2);
});

test("no more calls of a key begin within a period than its rate, by the emulator's clock", async () => {
  const stand = await createStand({ clock: standingClock });
  stand.publish(many(7, stand.url, flow("rate=3, period=1m")));
  await settled(stand, { parallelismCount: 0, waitListSize: 4 });
  expect(stand.bodies().toSorted()).toEqual(["0", "1", "2"]);
  stand.core.clock.advance(59_999);
  expect(stateOf(stand)).toMatchObject({ waitListSize: 4 });
  stand.core.clock.advance(1);
  await settled(stand, { parallelismCount: 0, waitListSize: 1 });
  expect(stand.calls).toHaveLength(6);
  stand.core.clock.advance(60_000);
  await stand.core.deliveries.idle();
  expect(stand.calls).toHaveLength(7);
});

test("a rate without a period is per second", async () => {
  const stand = await createStand({ clock: standingClock });
  stand.publish(many(2, stand.url, flow("rate=1")));
  await settled(stand, { parallelismCount: 0, waitListSize: 1, rateMax: 1, ratePeriod: 1 });
  stand.core.clock.advance(999);
  expect(stateOf(stand)).toMatchObject({ waitListSize: 1 });
  stand.core.clock.advance(1);
  await stand.core.deliveries.idle();
  expect(stand.calls).toHaveLength(2);
});

test("rate and parallelism hold together, and a period that straddles another is counted too", async () => {
  const stand = await createStand({ clock: standingClock });
  stand.publish(many(2, stand.url, flow("rate=3, period=10s, parallelism=1")));
  await stand.core.deliveries.idle();
  stand.core.clock.advance(9_000);
  stand.publish(many(4, stand.url, flow("rate=3, period=10s, parallelism=1")));
  // Two calls at 0 s and one at 9 s fill the period that ends before 10 s.
  await settled(stand, { parallelismCount: 0, waitListSize: 3 });
  stand.core.clock.advance(1_000);
  // The two of 0 s are over, the one of 9 s still counts.
  await settled(stand, { parallelismCount: 0, waitListSize: 1, rateCount: 3 });
  expect(stand.mostAtOnce).toBe(1);
});

test("keys do not hinder each other", async () => {
  const stand = await createStand();
  const gate = createGate<CallAnswer>();
  stand.answer = ({ path }) => (path === "/stuck" ? gate.passed : ok);
  stand.publish(many(2, `${stand.url}/stuck`, flow("parallelism=1", "one")));
  stand.publish(many(3, `${stand.url}/free`, flow("parallelism=1", "two")));
  await stand.called(4);
  expect(stand.callsTo("/free")).toHaveLength(3);
  gate.open(ok);
});

test("the newest message's values hold for the messages that wait already", async () => {
  const stand = await createStand();
  const gate = createGate<CallAnswer>();
  stand.answer = () => gate.passed;
  stand.publish(many(4, stand.url, flow("parallelism=1")));
  await stand.called(1);
  stand.publish(many(1, stand.url, flow("parallelism=3")));
  await stand.called(3);
  expect(stateOf(stand)).toMatchObject({ parallelismMax: 3, parallelismCount: 3, waitListSize: 2 });
  stand.publish(many(1, stand.url, flow("rate=100, period=1h")));
  await stand.called(6);
  expect(stateOf(stand)).toMatchObject({ parallelismMax: 0, rateMax: 100, ratePeriod: 3_600 });
  gate.open(ok);
});

test("messages that wait for their key hold no connection", async () => {
  const stand = await createStand({ maxInFlight: 2 });
  const gate = createGate<CallAnswer>();
  stand.answer = ({ path }) => (path === "/slow" ? gate.passed : ok);
  stand.publish(many(10, `${stand.url}/slow`, flow("parallelism=1")));
  stand.publish(many(5, `${stand.url}/other`, {}));
  await stand.called(6);
  expect(stand.callsTo("/other")).toHaveLength(5);
  gate.open(ok);
});

test("calls count from the moment they begin, so waiting for a connection does not bunch them", async () => {
  const stand = await createStand({ clock: standingClock, maxInFlight: 1 });
  const gate = createGate<CallAnswer>();
  stand.answer = ({ path }) => (path === "/slow" ? gate.passed : ok);
  stand.publish(many(1, `${stand.url}/slow`, {}));
  await stand.called(1);
  stand.publish(many(4, `${stand.url}/limited`, flow("rate=2, period=1m")));
  stand.core.clock.advance(60_000);
  stand.core.clock.advance(60_000);
  gate.open(ok);
  await settled(stand, { parallelismCount: 0, waitListSize: 2 });
  expect(stand.callsTo("/limited")).toHaveLength(2);
});

test("a retry asks for a share like a first attempt, and between attempts the share is free", async () => {
  const stand = await createStand({ clock: standingClock, retryScale: 1 });
  stand.answer = ({ body }) => ({ status: body === "bad" ? 500 : 200 });
  const headers = { ...flow("parallelism=1"), "Upstash-Retries": "1", "Upstash-Retry-Delay": "60000" };
  stand.publish([{ destination: stand.url, body: "bad", headers }]);
  stand.publish([{ destination: stand.url, body: "good", headers }]);
  await stand.called(2);
  await settled(stand, { parallelismCount: 0, waitListSize: 0 });
  stand.core.clock.advance(60_000);
  await stand.core.deliveries.idle();
  expect(stand.bodies()).toEqual(["bad", "good", "bad"]);
});

test("keys that nobody uses any more are forgotten after their period", async () => {
  const stand = await createStand({ clock: standingClock });
  const use = async (from: number, to: number): Promise<void> => {
    for (let key = from; key < to; key++) {
      stand.publish(many(1, "https://example.com/", flow("parallelism=1", `key-${key}`)));
    }
    await stand.core.deliveries.idle();
  };
  await use(0, 3_000);
  expect(stand.core.deliveries.flowControl.states()).toHaveLength(3_000);
  stand.core.clock.advance(1_000);
  await use(3_000, 4_200);
  expect(stand.core.deliveries.flowControl.states().length).toBeLessThanOrEqual(1_200);
});

test("a paused key gets no call until it is resumed, and its rate goes on to count", async () => {
  const stand = await createStand({ clock: standingClock });
  const { flowControl } = stand.core.deliveries;
  stand.publish(many(1, stand.url, flow("rate=2, period=1m")));
  await stand.core.deliveries.idle();
  expect([flowControl.pause("k"), flowControl.pause("k")]).toEqual([true, false]);
  stand.publish(many(2, stand.url, flow("rate=2, period=1m")));
  expect(stateOf(stand)).toMatchObject({
    isPaused: true,
    waitListSize: 2,
    rateCount: 1,
    parallelismCount: 0,
  });
  stand.core.clock.advance(30_000);
  expect([flowControl.resume("k"), flowControl.resume("k")]).toEqual([true, false]);
  await settled(stand, { isPaused: false, waitListSize: 1, rateCount: 2, parallelismCount: 0 });
  stand.core.clock.advance(30_000);
  await stand.core.deliveries.idle();
  expect(stand.calls).toHaveLength(3);
});

test("a key that is paused while its message waits for a connection gets no call", async () => {
  const stand = await createStand({ maxInFlight: 1 });
  const gate = createGate<CallAnswer>();
  stand.answer = ({ path }) => (path === "/slow" ? gate.passed : ok);
  stand.publish([{ destination: `${stand.url}/slow` }]);
  await stand.called(1);
  stand.publish(many(1, `${stand.url}/held`, flow("parallelism=1")));
  expect(stateOf(stand)).toMatchObject({ parallelismCount: 1 });
  stand.core.deliveries.flowControl.pause("k");
  stand.publish([{ destination: `${stand.url}/other` }]);
  gate.open(ok);
  await stand.called(2);
  await settled(stand, { parallelismCount: 0, waitListSize: 1 });
  expect(stand.calls.map(({ path }) => path)).toEqual(["/slow", "/other"]);
  stand.core.deliveries.flowControl.resume("k");
  await stand.core.deliveries.idle();
  expect(stand.callsTo("/held")).toHaveLength(1);
});

test("what is pinned holds against messages, each part until it is unpinned and a message brings another", async () => {
  const stand = await createStand({ clock: standingClock });
  const { flowControl } = stand.core.deliveries;
  stand.publish(many(1, stand.url, flow("parallelism=5, rate=9, period=1m")));
  await stand.core.deliveries.idle();
  flowControl.pin("k", { rate: 1, periodSeconds: 120 });
  expect(stateOf(stand)).toMatchObject({
    parallelismMax: 5,
    rateMax: 1,
    ratePeriod: 120,
    rateCount: 0,
    isPinnedParallelism: false,
    isPinnedRate: true,
  });
  stand.publish(many(3, stand.url, flow("parallelism=4, rate=9, period=1s")));
  await settled(stand, { parallelismMax: 4, rateMax: 1, rateCount: 1, waitListSize: 2, parallelismCount: 0 });
  flowControl.pin("k", { parallelism: 3 });
  await settled(stand, {
    parallelismMax: 3,
    rateMax: 1,
    rateCount: 1,
    waitListSize: 1,
    isPinnedParallelism: true,
  });
  flowControl.find("k")?.unpin({ parallelism: false, rate: true });
  expect(stateOf(stand)).toMatchObject({ rateMax: 1, isPinnedParallelism: true, isPinnedRate: false });
  stand.publish(many(1, stand.url, flow("parallelism=9, rate=9, period=1s")));
  await stand.core.deliveries.idle();
  expect(stateOf(stand)).toMatchObject({ parallelismMax: 3, rateMax: 9, ratePeriod: 1 });
  expect(stand.calls).toHaveLength(5);
});

test("a rate that is reset lets the next calls begin at once", async () => {
  const stand = await createStand({ clock: standingClock });
  stand.publish(many(3, stand.url, flow("rate=1, period=1d")));
  await settled(stand, { parallelismCount: 0, waitListSize: 2 });
  const shares = stand.core.deliveries.flowControl.find("k");
  shares?.resetRate();
  await settled(stand, { parallelismCount: 0, waitListSize: 1, rateCount: 1 });
  shares?.resetRate();
  await stand.core.deliveries.idle();
  expect(stand.calls).toHaveLength(3);
});

test("a key that is paused or pinned is not forgotten", async () => {
  const stand = await createStand({ clock: standingClock });
  const { flowControl } = stand.core.deliveries;
  flowControl.pause("paused");
  flowControl.pin("pinned", { parallelism: 1 });
  for (let n = 0; n < 1_500; n++) flowControl.join({ key: `other ${n}`, parallelism: 1 }).users--;
  expect(flowControl.states().length).toBeLessThan(1_100);
  expect(stateOf(stand, "paused")).toMatchObject({ isPaused: true });
  expect(stateOf(stand, "pinned")).toMatchObject({ parallelismMax: 1 });
});
