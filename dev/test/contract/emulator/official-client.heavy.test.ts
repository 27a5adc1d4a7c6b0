import { Client } from "@upstash/qstash";
import { describe, expect, test } from "vitest";
import { failing, useOfficialClient } from "../../../../test/support/official-client.ts";

const stand = useOfficialClient();
const messageId = expect.stringMatching(/^msg_/) as string;
const paths = (): string[] => stand.receiver.deliveries.map(({ path }) => path).toSorted();

describe("publishing", () => {
  test("batch and batchJSON mix URL, URL Group and queue", async () => {
    stand.emulator.putUrlGroup("g", [{ url: `${stand.receiver.url}/a` }, { url: `${stand.receiver.url}/b` }]);
    const group = [
      { messageId, url: `${stand.receiver.url}/a` },
      { messageId, url: `${stand.receiver.url}/b` },
    ];
    expect(
      await stand.client.batch([
        { url: `${stand.receiver.url}/u`, body: "1" },
        { urlGroup: "g", body: "2" },
        { url: `${stand.receiver.url}/q`, queueName: "q", body: "3" },
      ]),
    ).toEqual([{ messageId }, group, { messageId }]);
    expect(
      await stand.client.batchJSON([
        { urlGroup: "g", body: { n: 1 } },
        { url: `${stand.receiver.url}/u`, body: { n: 2 } },
        { urlGroup: "g", queueName: "q", body: { n: 3 } },
      ]),
    ).toEqual([group, { messageId }, group]);
    await stand.emulator.idle();
    expect(paths()).toEqual(["/a", "/a", "/a", "/b", "/b", "/b", "/q", "/u", "/u"]);
  });

  test("a refused publish throws with status and text", async () => {
    const error = await failing(stand.client.publishJSON({ urlGroup: "unknown", body: 1 }));
    expect(error.status).toBe(400);
    expect(JSON.parse(error.message)).toEqual({ error: expect.stringContaining("invalid destination url") });
    const stranger = new Client({ baseUrl: stand.emulator.url, token: "other", retry: false });
    expect((await failing(stranger.publish({ url: stand.receiver.url }))).status).toBe(401);
  });
});

describe("URL Groups", () => {
  test("are made, told, changed and removed", async () => {
    const { urlGroups } = stand.client;
    await urlGroups.addEndpoints({
      name: "g",
      endpoints: [{ name: "a", url: "http://127.0.0.1:1/a" }, { url: "http://127.0.0.1:1/b" }],
    });
    await urlGroups.addEndpoints({ name: "g", endpoints: [{ name: "a", url: "http://127.0.0.1:1/c" }] });
    const group = await urlGroups.get("g");
    expect(group).toEqual({
      name: "g",
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      endpoints: [{ url: "http://127.0.0.1:1/b" }, { name: "a", url: "http://127.0.0.1:1/c" }],
    });
    expect(await urlGroups.list()).toEqual([group]);

    await urlGroups.removeEndpoints({ name: "g", endpoints: [{ name: "a" }] });
    expect((await urlGroups.get("g")).endpoints).toEqual([{ url: "http://127.0.0.1:1/b" }]);
    await urlGroups.removeEndpoints({ name: "g", endpoints: [{ url: "http://127.0.0.1:1/b" }] });
    expect((await failing(urlGroups.get("g"))).status).toBe(404);

    await urlGroups.addEndpoints({ name: "h", endpoints: [{ url: "http://127.0.0.1:1/" }] });
    await urlGroups.delete("h");
    expect(await urlGroups.list()).toEqual([]);
  });
});

describe("queues", () => {
  test("are made, told and removed", async () => {
    const queue = stand.client.queue({ queueName: "q" });
    await queue.upsert({ parallelism: 3 });
    const state = await queue.get();
    expect(state).toEqual({
      name: "q",
      parallelism: 3,
      lag: 0,
      paused: false,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    });
    expect(await queue.list()).toEqual([state]);
    await queue.delete();
    expect(await queue.list()).toEqual([]);
    expect((await failing(queue.get())).status).toBe(404);
  });

  test("deliver nothing while they are paused", async () => {
    const queue = stand.client.queue({ queueName: "q" });
    await queue.upsert({ paused: true });
    const { messageId: queued } = await queue.enqueue({ url: `${stand.receiver.url}/1`, body: "1" });
    expect(await queue.get()).toMatchObject({ paused: true, lag: 1 });
    await queue.resume();
    await stand.emulator.idle();
    expect(await queue.get()).toMatchObject({ paused: false, lag: 0 });
    expect(stand.emulator.journal.entries("delivery")).toMatchObject([{ messageId: queued }]);
    await queue.pause();
    await queue.enqueue({ url: `${stand.receiver.url}/2`, body: "2" });
    expect(await queue.get()).toMatchObject({ paused: true, lag: 1 });
    expect(paths()).toEqual(["/1"]);
  });
});

describe("messages", () => {
  test("are found while they wait, and not after they are delivered", async () => {
    const { messageId: waiting } = await stand.client.publish({
      url: `${stand.receiver.url}/later?a=1`,
      body: "x",
      delay: "1h",
      label: "l",
      flowControl: { key: "k", parallelism: 1 },
    });
    const message = await stand.client.messages.get(waiting);
    expect(message).toMatchObject({
      messageId: waiting,
      url: `${stand.receiver.url}/later?a=1`,
      method: "POST",
      body: "x",
      maxRetries: 3,
      label: "l",
      labels: ["l"],
      flowControlKey: "k",
      parallelism: 1,
      callerIP: "127.0.0.1",
    });
    expect(message.notBefore).toBe(message.createdAt + 3_600_000);
    stand.emulator.clock.advance(3_600_000);
    await stand.emulator.idle();
    expect(paths()).toEqual(["/later?a=1"]);
    expect((await failing(stand.client.messages.get(waiting))).status).toBe(404);
  });

  test("are cancelled, and not delivered", async () => {
    const { messages } = stand.client;
    const { messageId: one } = await stand.client.publish({ url: stand.receiver.url, delay: "1h" });
    expect(await messages.cancel(one)).toEqual({ cancelled: 1 });
    expect((await failing(messages.cancel(one))).status).toBe(404);
    expect(stand.emulator.pending).toBe(0);
  });
});

test("flow control keys are paused, resumed, pinned, unpinned and reset", async () => {
  const { flowControl } = stand.client;
  await flowControl.pause("k");
  await stand.client.publish({
    url: `${stand.receiver.url}/held`,
    flowControl: { key: "k", parallelism: 2, rate: 10, period: "1m" },
  });
  expect(await flowControl.get("k")).toMatchObject({ isPaused: true, waitListSize: 1 });
  expect(await flowControl.getGlobalParallelism()).toEqual({ parallelismMax: 64, parallelismCount: 0 });
  await flowControl.resume("k");
  await stand.emulator.idle();
  expect(await flowControl.get("k")).toMatchObject({ isPaused: false, waitListSize: 0, rateCount: 1 });
  expect(stand.emulator.journal.entries("paused")).toMatchObject([{ flowControlKey: "k" }]);
  expect(stand.emulator.journal.entries("resumed")).toMatchObject([{ flowControlKey: "k" }]);
  await flowControl.resetRate("k");
  expect(await flowControl.get("k")).toMatchObject({ rateCount: 0, rateMax: 10 });

  await flowControl.pin("k", { parallelism: 3, rate: 20, period: 120 });
  const pinned = { isPinnedParallelism: true, isPinnedRate: true };
  expect(await flowControl.get("k")).toMatchObject({
    ...pinned,
    parallelismMax: 3,
    rateMax: 20,
    ratePeriod: 120,
  });
  await flowControl.unpin("k", { parallelism: true });
  expect(await flowControl.get("k")).toMatchObject({ ...pinned, isPinnedParallelism: false });
  expect((await failing(flowControl.pin("k", {}))).status).toBe(400);
  expect((await failing(flowControl.pin("k", { rate: 0 }))).status).toBe(400);
  expect((await failing(flowControl.pin("k", { parallelism: 1, period: 1 }))).status).toBe(400);
});

test("schedules are made, told, listed, paused, resumed, and removed, and fire meanwhile", async () => {
  const { schedules } = stand.client;
  const { scheduleId } = await schedules.create({
    destination: `${stand.receiver.url}/job`,
    cron: "* * * * *",
    body: JSON.stringify({ n: 1 }),
    headers: { "X-A": "1" },
    scheduleId: "minutely",
    retries: 1,
    delay: 10,
    queueName: "q",
    retryDelay: "1000",
    flowControl: { key: "k", parallelism: 10, rate: 5, period: "1d" },
    label: ["a", "b"],
  });
  expect(scheduleId).toBe("minutely");
  const schedule = await schedules.get(scheduleId);
  expect(schedule).toMatchObject({
    cron: "* * * * *",
    destination: `${stand.receiver.url}/job`,
    method: "POST",
    header: { "Content-Type": ["application/json"], "X-A": ["1"] },
    body: '{"n":1}',
    retries: 1,
    delay: 10,
    queueName: "q",
    retryDelayExpression: "1000",
    flowControlKey: "k",
    parallelism: 10,
    ratePerSecond: 5,
    period: 86_400,
    labels: ["a", "b"],
    isPaused: false,
  });
  expect(await schedules.list()).toEqual([schedule]);
  await schedules.pause({ schedule: scheduleId });
  stand.emulator.clock.advance(120_000);
  expect(await schedules.get(scheduleId)).toMatchObject({ isPaused: true });
  await schedules.resume({ schedule: scheduleId });
  stand.emulator.clock.advance(60_000);
  // Its delay may reach into the next minute, in which it is not to fire again.
  await schedules.pause({ schedule: scheduleId });
  stand.emulator.clock.advance(10_000);
  await stand.emulator.idle();
  expect(stand.receiver.deliveries).toMatchObject([
    { path: "/job", body: '{"n":1}', headers: { "upstash-schedule-id": "minutely", "x-a": "1" } },
  ]);
  await schedules.delete(scheduleId);
  expect(await schedules.list()).toEqual([]);
  expect((await failing(schedules.get(scheduleId))).status).toBe(404);
  expect((await failing(schedules.create({ destination: "none", cron: "* * * * *" }))).status).toBe(400);
});
