import { readFileSync } from "node:fs";
import { Client, Receiver as SignatureReceiver } from "@upstash/qstash";
import { describe, expect, test } from "vitest";
import { failing, useOfficialClient } from "../../../../test/support/official-client.ts";

const stand = useOfficialClient();
const messageId = expect.stringMatching(/^msg_/) as string;
const paths = (): string[] => stand.receiver.deliveries.map(({ path }) => path).toSorted();

describe("publishing", () => {
  test("publish sends body, query, method and headers to the destination", async () => {
    const answer = await stand.client.publish({
      url: `${stand.receiver.url}/orders/7?a=1&b=x%2Fy`,
      body: "hello",
      method: "PUT",
      headers: { "X-Order": "7", "Content-Type": "text/plain" },
      retries: 0,
      label: ["first", "second"],
      timeout: 5,
    });
    expect(answer).toEqual({ messageId });
    await stand.emulator.idle();
    expect(stand.receiver.deliveries).toMatchObject([
      {
        path: "/orders/7?a=1&b=x%2Fy",
        method: "PUT",
        body: "hello",
        headers: { "x-order": "7", "content-type": "text/plain" },
      },
    ]);
    expect(Object.keys(stand.receiver.deliveries[0]!.headers)).not.toContain("authorization");
  });

  test("publishJSON to a URL Group answers one element per endpoint", async () => {
    await stand.client.urlGroups.addEndpoints({
      name: "orders",
      endpoints: [{ name: "a", url: `${stand.receiver.url}/a` }, { url: `${stand.receiver.url}/b` }],
    });
    const answer = await stand.client.publishJSON({ urlGroup: "orders", body: { n: 1 } });
    expect(answer).toEqual([
      { messageId, url: `${stand.receiver.url}/a` },
      { messageId, url: `${stand.receiver.url}/b` },
    ]);
    await stand.emulator.idle();
    expect(paths()).toEqual(["/a", "/b"]);
    expect(stand.receiver.deliveries[0]).toMatchObject({
      body: '{"n":1}',
      headers: { "content-type": "application/json" },
    });
  });

  test("a message deduplicated by id or by content is accepted and not sent", async () => {
    const url = `${stand.receiver.url}/once`;
    const first = await stand.client.publishJSON({ url, body: 1, deduplicationId: "one" });
    expect(await stand.client.publishJSON({ url, body: 2, deduplicationId: "one" })).toEqual({
      messageId: first.messageId,
      deduplicated: true,
    });
    const third = await stand.client.publishJSON({ url, body: 3, contentBasedDeduplication: true });
    expect(await stand.client.publishJSON({ url, body: 3, contentBasedDeduplication: true })).toEqual({
      messageId: third.messageId,
      deduplicated: true,
    });
    await stand.emulator.idle();
    expect([...stand.receiver.counts().keys()].toSorted()).toEqual(["1", "3"]);
  });

  test("enqueue and enqueueJSON deliver by way of the queue, in order", async () => {
    const queue = stand.client.queue({ queueName: "lane" });
    expect(await queue.enqueue({ url: `${stand.receiver.url}/1`, body: "1" })).toEqual({ messageId });
    await queue.enqueueJSON({ url: `${stand.receiver.url}/2`, body: { n: 2 } });
    await stand.emulator.idle();
    expect(stand.receiver.deliveries.map(({ path, body }) => [path, body])).toEqual([
      ["/1", "1"],
      ["/2", '{"n":2}'],
    ]);
    expect(stand.emulator.journal.entries("accepted").map(({ queueName }) => queueName)).toEqual([
      "lane",
      "lane",
    ]);
  });

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

  test("its receiver accepts the signature of a delivery, and refuses another body, URL or key", async () => {
    const url = `${stand.receiver.url}/signed?a=1`;
    await stand.client.publish({ url, body: "märz" });
    await stand.emulator.idle();
    const { headers, body } = stand.receiver.deliveries[0]!;
    const signature = String(headers["upstash-signature"]);
    const { current, next } = stand.emulator.signingKeys;
    const verifier = new SignatureReceiver({ currentSigningKey: current, nextSigningKey: next });
    expect(await verifier.verify({ signature, body, url })).toBe(true);
    await expect(verifier.verify({ signature, body: "other", url })).rejects.toThrow(/body hash/);
    await expect(verifier.verify({ signature, body, url: `${url}2` })).rejects.toThrow(/invalid subject/);
    const stranger = new SignatureReceiver({ currentSigningKey: "x", nextSigningKey: "y" });
    await expect(stranger.verify({ signature, body, url })).rejects.toThrow(/signature/);
  });
});

test("each of the 41 methods of the newest client is called here or in the tests of the DLQ", () => {
  const { client } = stand;
  const { messages, dlq, urlGroups, schedules, flowControl } = client;
  const parts = { client, messages, dlq, urlGroups, schedules, flowControl, queue: client.queue() };
  const methods = Object.entries(parts).flatMap(([part, of]) =>
    Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(of) as object))
      .filter(
        ([name, { value }]) => typeof value === "function" && !/^(?:constructor|queue|chat)$/.test(name),
      )
      .map(([name]) => `${part}.${name}(`),
  );
  const tests = ["official-client", "official-client-dlq"].map((name) =>
    readFileSync(`${import.meta.dirname}/${name}.heavy.test.ts`, "utf8"),
  );
  expect(methods).toHaveLength(41);
  expect(methods.filter((method) => !tests.join("").includes(method))).toEqual([]);
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
  const later = { delay: "1h" } as const;
  const publishLater = async (path: string, more: { label?: string; key?: string } = {}): Promise<string> => {
    const { messageId: published } = await stand.client.publish({
      url: `${stand.receiver.url}${path}`,
      body: "x",
      ...later,
      ...(more.label === undefined ? {} : { label: more.label }),
      ...(more.key === undefined ? {} : { flowControl: { key: more.key, parallelism: 1 } }),
    });
    return published;
  };

  test("are found while they wait, and not after they are delivered", async () => {
    const waiting = await publishLater("/later?a=1", { label: "l", key: "k" });
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

  test("are cancelled one by one, by ids, by filter, and all", async () => {
    const [one, two, three] = [await publishLater("/1"), await publishLater("/2"), await publishLater("/3")];
    expect(await stand.client.messages.cancel(one)).toEqual({ cancelled: 1 });
    expect((await failing(stand.client.messages.cancel(one))).status).toBe(404);
    expect(await stand.client.messages.cancel([one, two, three])).toEqual({ cancelled: 2 });

    await publishLater("/label", { label: "mine" });
    await publishLater("/key", { key: "k" });
    await publishLater("/a");
    await publishLater("/b");
    const { messages } = stand.client;
    expect(await messages.cancel({ filter: { label: ["mine", "other"] } })).toEqual({ cancelled: 1 });
    expect(await messages.cancel({ filter: { flowControlKey: "k", callerIp: "127.0.0.1" } })).toEqual({
      cancelled: 1,
    });
    expect(await messages.cancel({ filter: { path: "/a", host: new URL(stand.receiver.url).host } })).toEqual(
      {
        cancelled: 1,
      },
    );
    expect(await messages.cancel({ filter: { toDate: new Date(0) } })).toEqual({ cancelled: 0 });
    expect(stand.emulator.pending).toBe(1);
    await publishLater("/c");
    expect(await messages.cancel({ all: true })).toEqual({ cancelled: 2 });
    expect(stand.emulator.pending).toBe(0);

    // By their former names.
    const [four, five] = [await publishLater("/4"), await publishLater("/5"), await publishLater("/6")];
    await messages.delete(four);
    expect(await messages.deleteMany([four, five])).toBe(1);
    expect(await messages.deleteAll()).toBe(1);
    stand.emulator.clock.advance(3_600_000);
    await stand.emulator.idle();
    expect(stand.receiver.deliveries).toEqual([]);
  });
});

const call = async (method: string, path: string): Promise<{ status: number; body: unknown }> => {
  const { emulator } = stand;
  const headers = { authorization: `Bearer ${emulator.token}` };
  const response = await fetch(`${emulator.url}${path}`, { method, headers });
  return { status: response.status, body: await response.json() };
};
const publishLater = async (label = "any"): Promise<string> => {
  const { messageId: published } = await stand.client.publish({
    url: `${stand.receiver.url}/now`,
    delay: "1h",
    label,
  });
  return published;
};
const retryNow = async (id: string): Promise<number> =>
  (await call("POST", `/v2/messages/${id}/retry`)).status;

describe("what the newest client has no method for", () => {
  test("a message that waits is sent now, and no attempt is added", async () => {
    const waiting = await publishLater();
    expect(await retryNow(waiting)).toBe(200);
    await stand.emulator.idle();
    expect(paths()).toEqual(["/now"]);
    expect(await retryNow(waiting)).toBe(404);
    stand.emulator.adjust({ retryScale: 1 });
    const dying = { url: "http://127.0.0.1:1/", retries: 1, retryDelay: "3600000" };
    const { messageId: failing } = await stand.client.publish(dying);
    await stand.emulator.journal.waitFor((entry) => entry.type === "delivery" && entry.outcome === "failed");
    expect(await retryNow(failing)).toBe(200);
    await stand.emulator.idle();
    expect(stand.emulator.journal.entries("delivery").map(({ retried }) => retried)).toEqual([0, 0, 1]);
    expect(stand.emulator.dlq.size).toBe(1);
    const { messageId: queued } = await stand.client.queue({ queueName: "q" }).enqueue(dying);
    expect(await retryNow(queued)).toBe(400);
  });

  test("a cancel by filters is an action that can be followed", async () => {
    for (const label of ["mine", "mine", "other"]) await publishLater(label);
    const { status, body } = await call("DELETE", "/v2/messages?label=mine&async=true&count=1");
    expect({ status, body }).toEqual({ status: 202, body: { cancelled: 2, actionId: expect.any(String) } });
    const { actionId } = body as { readonly actionId: string };
    const action = () => call("GET", `/v2/bulkActions/${actionId}`);
    await expect.poll(async () => ((await action()).body as { state: string }).state).toBe("FINISHED");
    const told = {
      actionId,
      kind: "cancel",
      state: "FINISHED",
      total: 2,
      processed: 2,
      createdAt: expect.any(Number),
      completedAt: expect.any(Number),
      filter: { label: ["mine"] },
    };
    expect((await action()).body).toEqual(told);
    expect(stand.emulator.pending).toBe(1);
    expect(await call("DELETE", "/v2/messages")).toEqual({ status: 202, body: { cancelled: 1 } });
    const { body: page } = await call("GET", "/v2/bulkActions?count=1");
    expect(page).toMatchObject({ cursor: "1", bulkActions: [{ total: 1, filter: {} }] });
    expect((await call("GET", "/v2/bulkActions?cursor=1")).body).toEqual({ bulkActions: [told] });
    expect((await call("GET", "/v2/bulkActions?state=IN_PROGRESS")).body).toEqual({ bulkActions: [] });
    stand.emulator.clock.advance(7 * 86_400_000 + 1);
    expect((await action()).status).toBe(404);
    expect((await call("DELETE", `/v2/messages/${await publishLater()}`)).status).toBe(202);
  });

  test("signing keys are rotated", async () => {
    const { current, next } = stand.emulator.signingKeys;
    const { status, body } = await call("POST", "/v2/keys/rotate");
    expect({ status, body }).toEqual({
      status: 200,
      body: { current: next, next: expect.stringMatching(/^sig_/) },
    });
    expect((await call("GET", "/v2/keys")).body).toEqual(body);
    const { url } = { url: `${stand.receiver.url}/signed` };
    await stand.client.publish({ url, body: "x" });
    await stand.emulator.idle();
    const signature = String(stand.receiver.deliveries[0]!.headers["upstash-signature"]);
    const before = new SignatureReceiver({ currentSigningKey: current, nextSigningKey: next });
    expect(await before.verify({ signature, body: "x", url })).toBe(true);
    const stranger = new SignatureReceiver({ currentSigningKey: current, nextSigningKey: "sig_other" });
    await expect(stranger.verify({ signature, body: "x", url })).rejects.toThrow(/signature/);
    await stand.emulator.reset();
    expect(stand.emulator.signingKeys).toEqual({ current, next });
  });
});

test("flow control keys are told while messages use them", async () => {
  await stand.client.publish({
    url: stand.receiver.url,
    delay: "1h",
    flowControl: { key: "k", parallelism: 2, rate: 10, period: "1m" },
  });
  expect(await stand.client.flowControl.get("k")).toMatchObject({
    flowControlKey: "k",
    parallelismMax: 2,
    parallelismCount: 0,
    rateMax: 10,
    rateCount: 0,
    ratePeriod: 60,
    isPaused: false,
  });
  expect((await failing(stand.client.flowControl.get("none"))).status).toBe(404);
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

test("logs and events tell what became of messages", async () => {
  const url = `${stand.receiver.url}/told`;
  const { messageId: first } = await stand.client.publish({ url, label: ["a", "b"] });
  await stand.emulator.idle();
  const { messageId: second } = await stand.client.publish({ url, delay: "1h", label: "c" });
  const { logs, events, cursor } = await stand.client.logs({ filter: { label: ["b", "c"] } });
  expect(events).toEqual(logs);
  expect(cursor).toBeUndefined();
  expect(logs.map((log) => [log.messageId, log.state])).toEqual([
    [second, "CREATED"],
    [first, "DELIVERED"],
    [first, "ACTIVE"],
    [first, "CREATED"],
  ]);
  expect(logs[1]).toMatchObject({ url, label: "a", labels: ["a", "b"], time: expect.any(Number) });
  expect(await stand.client.events({ filter: { label: "c" } })).toMatchObject({
    events: [{ messageId: second }],
  });
  const page = await stand.client.logs({ count: 1 });
  expect(page.logs.map(({ messageId: shown }) => shown)).toEqual([second]);
  const rest = await stand.client.logs(page.cursor === undefined ? {} : { cursor: page.cursor });
  expect(rest.logs).toHaveLength(3);
  expect((await stand.client.logs({ messageIds: [first, "msg_none"] })).logs).toHaveLength(3);
  expect((await stand.client.logs({ filter: { state: "DELIVERED", urlGroup: "none" } })).logs).toEqual([]);
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
