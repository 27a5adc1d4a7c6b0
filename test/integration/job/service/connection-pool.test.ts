import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/system-world.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { connectTo, rawAnswer, startHttp, startRaw } from "../../../support/message-service-server.ts";

const query = { select: {}, count: 1 };
const items = ['{"destination":"https://a.example"}'];
const allowed = (): boolean => true;
const empty = rawAnswer(200, '{"messages":[]}');
const accepted = rawAnswer(200, '[{"messageId":"msg_1"}]');

test("64 pages at once wait for nobody: each call has a connection, and later ones use the same", async () => {
  const waiting: (() => void)[] = [];
  const server = await startHttp(async () => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
    return { body: { messages: [] } };
  });
  const { service } = connectTo(server.baseUrl);
  for (let round = 0; round < 2; round += 1) {
    const calls = Array.from({ length: 64 }, () => service.list(query));
    await expect.poll(() => waiting.length, { timeout: 30_000 }).toBe(64);
    for (const answer of waiting.splice(0)) answer();
    await Promise.all(calls);
  }
  expect(server.connectionCount()).toBe(64);
});

test("as many calls and waits as a page makes at once listen to one signal without a warning, and leave it", async () => {
  const warned: string[] = [];
  const note = ({ message }: Error): void => void warned.push(message);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const server = await startHttp(() => ({ body: { messages: [] } }));
  const { service } = connectTo(server.baseUrl);
  const [ofCalls, ofWaits] = [new AbortController().signal, new AbortController().signal];
  await Promise.all(Array.from({ length: 30 }, () => service.list(query, ofCalls)));
  await Promise.all(Array.from({ length: 30 }, () => systemClock.sleep(1, ofWaits)));
  // A warning is told in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warned).toEqual([]);
  for (const signal of [ofCalls, ofWaits]) expect(getEventListeners(signal, "abort")).toEqual([]);
});

test.each([
  ["closed", ["answered"]],
  // Whether the reset shows before, with or after the first write is up to the kernel; then nobody can know.
  ["reset", ["answered", "not-sent", "in-doubt"]],
])("a batch after an idle connection was %s arrives at most once", async (how, kinds) => {
  const server = await startRaw(({ socket, when }, index) => {
    when("}]", () => socket.write(accepted));
    when("GET ", () => {
      socket.write(empty);
      if (index === 0) setImmediate(() => (how === "reset" ? socket.resetAndDestroy() : socket.end()));
    });
  });
  const { service } = connectTo(server.baseUrl);
  await service.list(query);
  await server.connections[0]?.ended;
  const outcome = await service.publish(items, allowed);
  expect(kinds).toContain(outcome.kind);
  const arrived = server.connections.filter((connection) => connection.text().includes("POST "));
  expect(arrived).toHaveLength(outcome.kind === "answered" ? 1 : 0);
});

test("an idle connection that the service closes under a batch is unknown, and the batch is not sent again", async () => {
  const server = await startRaw(({ socket, when }) => {
    when("GET ", () => socket.write(empty));
    when("POST ", () => socket.resetAndDestroy());
  });
  const { service } = connectTo(server.baseUrl);
  await service.list(query);
  expect((await service.publish(items, allowed)).kind).toBe("in-doubt");
  // A later call opens another connection; the batch does not come with it.
  await service.list(query);
  const batches = server.connections.map((connection) => connection.text().split("POST ").length - 1);
  expect(batches).toEqual([1, 0]);
});

test("a connection is not used again after a call that ended early", async () => {
  const clock = createManualClock();
  const server = await startRaw(({ socket, when }, index) => {
    when("GET ", () => (index === 0 ? clock.advance(10_000) : socket.write(empty)));
  });
  const { service } = connectTo(server.baseUrl, { clock });
  await expect(service.list(query)).rejects.toMatchObject({ code: "service-timeout" });
  expect(await service.list(query)).toMatchObject({ records: [] });
  expect(server.connections).toHaveLength(2);
});

test("each call ends at its own deadline, however many came before it", async () => {
  const clock = createManualClock();
  let answering = true;
  const server = await startRaw(({ socket }) =>
    socket.on("data", () => {
      if (answering) socket.write(empty);
    }),
  );
  const { service } = connectTo(server.baseUrl, { clock });
  await service.list(query);
  answering = false;
  const endedAt: number[] = [];
  const startedAt = clock.now();
  const calls = [0, 3_000, 6_000].map(async (laterMs) => {
    if (laterMs > 0) await clock.sleep(laterMs);
    await service.list(query).catch(() => endedAt.push(clock.now() - startedAt));
  });
  for (let second = 0; second < 20; second += 1) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(calls);
  expect(endedAt).toEqual([10_000, 13_000, 16_000]);
});

test("closing stops what is running, and later calls", async () => {
  const server = await startRaw(() => undefined);
  const { service } = connectTo(server.baseUrl);
  const running = Promise.allSettled([service.list(query), service.publish(items, allowed)]);
  await service.close();
  expect(await running).toMatchObject([
    { status: "rejected", reason: { code: "stopped" } },
    { status: "fulfilled", value: { kind: "not-sent", why: "stopped" } },
  ]);
  await expect(service.list(query)).rejects.toMatchObject({ code: "stopped" });
  expect(await service.publish(items, allowed)).toMatchObject({ kind: "not-sent", why: "stopped" });
});

test("nothing is left behind: one timer for each kind of call until it is closed, and none after that", async () => {
  const clock = createManualClock();
  const server = await startHttp(() => ({ body: { messages: [] } }));
  const { service } = connectTo(server.baseUrl, { clock });
  const stop = new AbortController();
  await Promise.all([service.list(query, stop.signal), service.list(query, stop.signal)]);
  expect(clock.pending()).toBe(1);
  await service.close();
  expect(clock.pending()).toBe(0);
});
