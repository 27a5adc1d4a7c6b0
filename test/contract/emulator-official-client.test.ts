import { Client, QstashError, Receiver as SignatureReceiver } from "@upstash/qstash";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startEmulator, type Emulator, type SeedRecord } from "../../src/emulator/index.ts";
import { createReceiver, type Receiver } from "../support/receiver.ts";

/*
 * The TypeScript client of the production service, as it comes from its registry, against the emulator. Nothing about
 * it is changed but its address, its token, and that it does not repeat failed calls.
 */

let emulator: Emulator;
let receiver: Receiver;
let client: Client;

const realFetch = globalThis.fetch;

beforeAll(() => {
  // The client reads its address and token from the environment where it can, and the emulator must be all it knows.
  for (const name of Object.keys(process.env)) {
    if (/^(?:QSTASH|UPSTASH)_|_QSTASH_/.test(name)) vi.stubEnv(name, undefined);
  }
  vi.stubEnv("UPSTASH_DISABLE_TELEMETRY", undefined);
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.hostname !== "127.0.0.1") throw new Error(`a call to ${url.hostname}`);
    return realFetch(input, init);
  });
  // It prints each refused call.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

beforeEach(async () => {
  emulator = await startEmulator({ retryScale: 0 });
  receiver = await createReceiver();
  client = new Client({ baseUrl: emulator.url, token: emulator.token, retry: false });
});
afterEach(async () => {
  await emulator.close();
  await receiver.close();
});

const messageId = expect.stringMatching(/^msg_/) as string;
const paths = (): string[] => receiver.deliveries.map(({ path }) => path).toSorted();

async function failing(call: Promise<unknown>): Promise<QstashError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof QstashError) return error;
    throw error;
  }
  throw new Error("the call did not fail");
}

describe("publishing", () => {
  test("publish sends body, query, method and headers to the destination", async () => {
    const answer = await client.publish({
      url: `${receiver.url}/orders/7?a=1&b=x%2Fy`,
      body: "hello",
      method: "PUT",
      headers: { "X-Order": "7", "Content-Type": "text/plain" },
      retries: 0,
      label: ["first", "second"],
      timeout: 5,
    });
    expect(answer).toEqual({ messageId });
    await emulator.idle();
    expect(receiver.deliveries).toMatchObject([
      {
        path: "/orders/7?a=1&b=x%2Fy",
        method: "PUT",
        body: "hello",
        headers: { "x-order": "7", "content-type": "text/plain" },
      },
    ]);
    expect(Object.keys(receiver.deliveries[0]!.headers)).not.toContain("authorization");
  });

  test("publishJSON to a URL Group answers one element per endpoint", async () => {
    await client.urlGroups.addEndpoints({
      name: "orders",
      endpoints: [{ name: "a", url: `${receiver.url}/a` }, { url: `${receiver.url}/b` }],
    });
    const answer = await client.publishJSON({ urlGroup: "orders", body: { n: 1 } });
    expect(answer).toEqual([
      { messageId, url: `${receiver.url}/a` },
      { messageId, url: `${receiver.url}/b` },
    ]);
    await emulator.idle();
    expect(paths()).toEqual(["/a", "/b"]);
    expect(receiver.deliveries[0]).toMatchObject({
      body: '{"n":1}',
      headers: { "content-type": "application/json" },
    });
  });

  test("a message deduplicated by id or by content is accepted and not sent", async () => {
    const url = `${receiver.url}/once`;
    const first = await client.publishJSON({ url, body: 1, deduplicationId: "one" });
    expect(await client.publishJSON({ url, body: 2, deduplicationId: "one" })).toEqual({
      messageId: first.messageId,
      deduplicated: true,
    });
    const third = await client.publishJSON({ url, body: 3, contentBasedDeduplication: true });
    expect(await client.publishJSON({ url, body: 3, contentBasedDeduplication: true })).toEqual({
      messageId: third.messageId,
      deduplicated: true,
    });
    await emulator.idle();
    expect([...receiver.counts().keys()].toSorted()).toEqual(["1", "3"]);
  });

  test("enqueue and enqueueJSON deliver by way of the queue, in order", async () => {
    const queue = client.queue({ queueName: "lane" });
    expect(await queue.enqueue({ url: `${receiver.url}/1`, body: "1" })).toEqual({ messageId });
    await queue.enqueueJSON({ url: `${receiver.url}/2`, body: { n: 2 } });
    await emulator.idle();
    expect(receiver.deliveries.map(({ path, body }) => [path, body])).toEqual([
      ["/1", "1"],
      ["/2", '{"n":2}'],
    ]);
    expect(emulator.journal.entries("accepted").map(({ queueName }) => queueName)).toEqual(["lane", "lane"]);
  });

  test("batch and batchJSON mix URL, URL Group and queue", async () => {
    emulator.putUrlGroup("g", [{ url: `${receiver.url}/a` }, { url: `${receiver.url}/b` }]);
    const group = [
      { messageId, url: `${receiver.url}/a` },
      { messageId, url: `${receiver.url}/b` },
    ];
    expect(
      await client.batch([
        { url: `${receiver.url}/u`, body: "1" },
        { urlGroup: "g", body: "2" },
        { url: `${receiver.url}/q`, queueName: "q", body: "3" },
      ]),
    ).toEqual([{ messageId }, group, { messageId }]);
    expect(
      await client.batchJSON([
        { urlGroup: "g", body: { n: 1 } },
        { url: `${receiver.url}/u`, body: { n: 2 } },
        { urlGroup: "g", queueName: "q", body: { n: 3 } },
      ]),
    ).toEqual([group, { messageId }, group]);
    await emulator.idle();
    expect(paths()).toEqual(["/a", "/a", "/a", "/b", "/b", "/b", "/q", "/u", "/u"]);
  });

  test("a refused publish throws with status and text", async () => {
    const error = await failing(client.publishJSON({ urlGroup: "unknown", body: 1 }));
    expect(error.status).toBe(400);
    expect(JSON.parse(error.message)).toEqual({ error: expect.stringContaining("invalid destination url") });
    const stranger = new Client({ baseUrl: emulator.url, token: "other", retry: false });
    expect((await failing(stranger.publish({ url: receiver.url }))).status).toBe(401);
  });

  test("its receiver accepts the signature of a delivery, and refuses another body, URL or key", async () => {
    const url = `${receiver.url}/signed?a=1`;
    await client.publish({ url, body: "märz" });
    await emulator.idle();
    const { headers, body } = receiver.deliveries[0]!;
    const signature = String(headers["upstash-signature"]);
    const { current, next } = emulator.signingKeys;
    const verifier = new SignatureReceiver({ currentSigningKey: current, nextSigningKey: next });
    expect(await verifier.verify({ signature, body, url })).toBe(true);
    await expect(verifier.verify({ signature, body: "other", url })).rejects.toThrow(/body hash/);
    await expect(verifier.verify({ signature, body, url: `${url}2` })).rejects.toThrow(/invalid subject/);
    const stranger = new SignatureReceiver({ currentSigningKey: "x", nextSigningKey: "y" });
    await expect(stranger.verify({ signature, body, url })).rejects.toThrow(/signature/);
  });
});

describe("URL Groups", () => {
  test("are made, told, changed and removed", async () => {
    const { urlGroups } = client;
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
    const queue = client.queue({ queueName: "q" });
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
    const queue = client.queue({ queueName: "q" });
    await queue.upsert({ paused: true });
    const { messageId: queued } = await queue.enqueue({ url: `${receiver.url}/1`, body: "1" });
    expect(await queue.get()).toMatchObject({ paused: true, lag: 1 });
    await queue.resume();
    await emulator.idle();
    expect(await queue.get()).toMatchObject({ paused: false, lag: 0 });
    expect(emulator.journal.entries("delivery")).toMatchObject([{ messageId: queued }]);
    await queue.pause();
    await queue.enqueue({ url: `${receiver.url}/2`, body: "2" });
    expect(await queue.get()).toMatchObject({ paused: true, lag: 1 });
    expect(paths()).toEqual(["/1"]);
  });
});

describe("messages", () => {
  const later = { delay: "1h" } as const;
  const publishLater = async (path: string, more: { label?: string; key?: string } = {}): Promise<string> => {
    const { messageId: published } = await client.publish({
      url: `${receiver.url}${path}`,
      body: "x",
      ...later,
      ...(more.label === undefined ? {} : { label: more.label }),
      ...(more.key === undefined ? {} : { flowControl: { key: more.key, parallelism: 1 } }),
    });
    return published;
  };

  test("are found while they wait, and not after they are delivered", async () => {
    const waiting = await publishLater("/later?a=1", { label: "l", key: "k" });
    const message = await client.messages.get(waiting);
    expect(message).toMatchObject({
      messageId: waiting,
      url: `${receiver.url}/later?a=1`,
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
    emulator.clock.advance(3_600_000);
    await emulator.idle();
    expect(paths()).toEqual(["/later?a=1"]);
    expect((await failing(client.messages.get(waiting))).status).toBe(404);
  });

  test("are cancelled one by one, by ids, by filter, and all", async () => {
    const [one, two, three] = [await publishLater("/1"), await publishLater("/2"), await publishLater("/3")];
    expect(await client.messages.cancel(one)).toEqual({ cancelled: 1 });
    expect((await failing(client.messages.cancel(one))).status).toBe(404);
    expect(await client.messages.cancel([one, two, three])).toEqual({ cancelled: 2 });

    await publishLater("/label", { label: "mine" });
    await publishLater("/key", { key: "k" });
    await publishLater("/a");
    await publishLater("/b");
    const { messages } = client;
    expect(await messages.cancel({ filter: { label: ["mine", "other"] } })).toEqual({ cancelled: 1 });
    expect(await messages.cancel({ filter: { flowControlKey: "k", callerIp: "127.0.0.1" } })).toEqual({
      cancelled: 1,
    });
    expect(await messages.cancel({ filter: { path: "/a", host: new URL(receiver.url).host } })).toEqual({
      cancelled: 1,
    });
    expect(await messages.cancel({ filter: { toDate: new Date(0) } })).toEqual({ cancelled: 0 });
    expect(emulator.pending).toBe(1);
    await publishLater("/c");
    expect(await messages.cancel({ all: true })).toEqual({ cancelled: 2 });
    expect(emulator.pending).toBe(0);
    emulator.clock.advance(3_600_000);
    await emulator.idle();
    expect(receiver.deliveries).toEqual([]);
  });
});

const letters: readonly SeedRecord[] = [
  { dlqId: "1000-0", messageId: "msg_a", url: "http://127.0.0.1:1/a,b", responseStatus: 500, label: "red" },
  { dlqId: "2000-0", topicName: "g", endpointName: "e", responseStatus: 404, labels: ["red", "blue"] },
  { dlqId: "3000-0", queueName: "q", scheduleId: "s1", callerIP: "10.0.0.1", responseStatus: 500 },
  { dlqId: "4000-0", queueName: "p", scheduleId: "s2", callerIP: "10.0.0.2", flowControlKey: "k" },
  { dlqId: "5000-0", topicName: "h", flowControlKey: "l", rate: 5, period: 60, url: "http://127.0.0.1:1/c" },
];
const byTheClient = [
  [{ messageId: "msg_a" }, ["1000-0"]],
  [{ url: "http://127.0.0.1:1/a,b" }, ["1000-0"]],
  [{ url: ["http://127.0.0.1:1/a,b", "http://127.0.0.1:1/c"] }, ["1000-0", "5000-0"]],
  [{ urlGroup: "g" }, ["2000-0"]],
  [{ urlGroup: ["g", "h"] }, ["2000-0", "5000-0"]],
  [{ scheduleId: "s1" }, ["3000-0"]],
  [{ scheduleId: ["s1", "s2"] }, ["3000-0", "4000-0"]],
  [{ queueName: "q" }, ["3000-0"]],
  [{ queueName: ["q", "p"] }, ["3000-0", "4000-0"]],
  [{ callerIp: "10.0.0.1" }, ["3000-0"]],
  [{ callerIp: ["10.0.0.1", "10.0.0.2"] }, ["3000-0", "4000-0"]],
  [{ label: "blue" }, ["2000-0"]],
  [{ label: ["red", "green"] }, ["1000-0", "2000-0"]],
  [{ flowControlKey: "k" }, ["4000-0"]],
  [{ flowControlKey: ["k", "l"] }, ["4000-0", "5000-0"]],
  [{ responseStatus: 404 }, ["2000-0"]],
  [{ responseStatus: [404, 500], label: "red" }, ["1000-0", "2000-0"]],
  [{ fromDate: 4000 }, ["4000-0", "5000-0"]],
  [{ fromDate: new Date(2000), toDate: new Date(3000) }, ["2000-0", "3000-0"]],
  [{ toDate: 1000 }, ["1000-0"]],
  [{ api: "ignored", queueName: "q" }, ["3000-0"]],
] as const;
type ClientFilter = NonNullable<NonNullable<Parameters<Client["dlq"]["listMessages"]>[0]>["filter"]>;
const filters = byTheClient.map(([filter, dlqIds]) => [filter as unknown as ClientFilter, dlqIds] as const);

async function ids(options?: Parameters<Client["dlq"]["listMessages"]>[0]): Promise<string[]> {
  return (await client.dlq.listMessages(options)).messages.map(({ dlqId }) => dlqId);
}

describe("the DLQ", () => {
  test.each(filters)("lists by %j", async (filter, dlqIds) => {
    emulator.dlq.seed(letters);
    expect(await ids({ filter })).toEqual(dlqIds);
  });

  test("lists all, by ids, and page by page", async () => {
    emulator.dlq.seed(letters);
    const all = letters.map(({ dlqId }) => dlqId);
    expect(await ids()).toEqual(all);
    expect(await ids({ dlqIds: "2000-0" })).toEqual(["2000-0"]);
    expect(await ids({ dlqIds: ["2000-0", "5000-0", "9-9"] })).toEqual(["2000-0", "5000-0"]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.dlq.listMessages({ count: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.messages.map(({ dlqId }) => dlqId));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(seen).toEqual(all);
    const [grouped] = (await client.dlq.listMessages({ filter: { urlGroup: "h" } })).messages;
    expect(grouped).toMatchObject({ urlGroup: "h", topicName: "h", ratePerSecond: 5, rate: 5, period: 60 });
  });

  test.each(filters)("deletes by %j and nothing else", async (filter, dlqIds) => {
    emulator.dlq.seed(letters);
    const request = { filter } as Parameters<Client["dlq"]["delete"]>[0];
    expect((await client.dlq.delete(request)).deleted).toBe(dlqIds.length);
    const left = letters.map(({ dlqId }) => dlqId!).filter((dlqId) => !dlqIds.some((gone) => gone === dlqId));
    expect(await ids()).toEqual(left);
  });

  test("deletes by id, by ids, and all", async () => {
    emulator.dlq.seed(letters);
    expect(await client.dlq.delete("1000-0")).toEqual({ deleted: 1 });
    expect((await failing(client.dlq.delete("1000-0"))).status).toBe(404);
    expect(await client.dlq.delete(["1000-0", "2000-0"])).toEqual({ deleted: 1 });
    expect(await client.dlq.deleteMany({ dlqIds: ["3000-0"] })).toEqual({ deleted: 1 });
    expect(await client.dlq.delete([])).toEqual({ deleted: 0 });
    expect(await ids()).toEqual(["4000-0", "5000-0"]);
    const first = await client.dlq.delete({ all: true, count: 1 });
    expect(first).toEqual({ deleted: 1, cursor: expect.any(String) });
    expect(await client.dlq.delete({ all: true, cursor: first.cursor! })).toEqual({ deleted: 1 });
    expect(emulator.dlq.size).toBe(0);
  });

  test.each([
    ["an id", "1000-0", ["1000-0"]],
    ["ids", ["1000-0", "3000-0"], ["1000-0", "3000-0"]],
    ["an object of ids", { dlqIds: ["2000-0"] }, ["2000-0"]],
    ["a filter", { filter: { queueName: ["q", "p"] } }, ["3000-0", "4000-0"]],
    ["all", { all: true }, ["1000-0", "2000-0", "3000-0", "4000-0", "5000-0"]],
  ] as const)("retries by %s", async (_name, request, dlqIds) => {
    emulator.dlq.seed(letters.map((letter) => ({ ...letter, url: `${receiver.url}/${letter.dlqId}` })));
    const answer = await client.dlq.retry(request as unknown as Parameters<Client["dlq"]["retry"]>[0]);
    expect(answer).toEqual({ cursor: undefined, responses: dlqIds.map(() => ({ messageId })) });
    await emulator.idle();
    expect(paths()).toEqual(dlqIds.map((dlqId) => `/${dlqId}`));
    expect(emulator.dlq.size).toBe(letters.length - dlqIds.length);
    expect((await ids()).some((dlqId) => dlqIds.some((gone) => gone === dlqId))).toBe(false);
  });

  test("retries all in steps, with a cursor while more remain", async () => {
    emulator.dlq.seed(letters.map((letter) => ({ ...letter, url: receiver.url })));
    let retried = 0;
    let cursor: string | undefined;
    do {
      const step = await client.dlq.retry({
        all: true,
        count: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      retried += step.responses.length;
      ({ cursor } = step);
    } while (cursor !== undefined);
    expect(retried).toBe(letters.length);
    expect(await client.dlq.retry([])).toEqual({ responses: [] });
  });

  test("says that a record to be retried is gone", async () => {
    expect((await failing(client.dlq.retry("1000-0"))).status).toBe(404);
  });
});

test("flow control keys are told while messages use them", async () => {
  await client.publish({
    url: receiver.url,
    delay: "1h",
    flowControl: { key: "k", parallelism: 2, rate: 10, period: "1m" },
  });
  expect(await client.flowControl.get("k")).toMatchObject({
    flowControlKey: "k",
    parallelismMax: 2,
    parallelismCount: 0,
    rateMax: 10,
    rateCount: 0,
    ratePeriod: 60,
    isPaused: false,
  });
  expect((await failing(client.flowControl.get("none"))).status).toBe(404);
});
