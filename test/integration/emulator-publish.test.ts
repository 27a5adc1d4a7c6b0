import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/index.ts";

interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let emulator: Emulator;
let target: string;
let received: Received[];
let answer: (received: Received) => {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
};
const receiver = createServer((request, response) => {
  void (async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = {
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    received.push(one);
    const { status, headers = {}, body = "" } = answer(one);
    response.writeHead(status, headers).end(body);
  })();
});

async function start(options: EmulatorOptions = {}): Promise<void> {
  emulator = await startEmulator({ retryScale: 0, ...options });
}

beforeEach(async () => {
  received = [];
  answer = () => ({ status: 200 });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await emulator.close();
  await new Promise((resolve) => {
    receiver.close(resolve);
    receiver.closeAllConnections();
  });
});

async function publish(items: unknown, token = emulator.token): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${emulator.url}/v2/batch`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: typeof items === "string" ? items : JSON.stringify(items),
  });
  return { status: response.status, body: await response.json() };
}

async function published(items: unknown): Promise<{ messageId: string; deduplicated?: true }[]> {
  const { status, body } = await publish(items);
  expect(status).toBe(200);
  return body as { messageId: string; deduplicated?: true }[];
}

async function deadLetters(query = ""): Promise<Record<string, unknown>[]> {
  const headers = { Authorization: `Bearer ${emulator.token}` };
  const response = await fetch(`${emulator.url}/v2/dlq${query}`, { headers });
  return ((await response.json()) as { messages: Record<string, unknown>[] }).messages;
}

describe("batch publish", () => {
  test("answers URL, queue and URL Group items in request order, with an array for the group", async () => {
    await start();
    emulator.putUrlGroup("orders", [{ name: "first", url: `${target}/a` }, { url: `${target}/b` }]);
    const { status, body } = await publish([
      { destination: `${target}/plain`, body: "1" },
      { destination: "orders", body: "2" },
      { destination: `${target}/queued`, queue: "q", body: "3" },
    ]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { messageId: expect.stringMatching(/^msg_/) },
      [
        { messageId: expect.stringMatching(/^msg_/), url: `${target}/a` },
        { messageId: expect.stringMatching(/^msg_/), url: `${target}/b` },
      ],
      { messageId: expect.stringMatching(/^msg_/) },
    ]);
    await emulator.idle();
    expect(new Set(received.map(({ path }) => path))).toEqual(new Set(["/a", "/b", "/plain", "/queued"]));
    expect(received).toHaveLength(4);
  });

  test("refuses a wrong token with 401 and accepts it once it has become right", async () => {
    await start();
    expect(await publish([], "other")).toEqual({ status: 401, body: { error: "unauthorized" } });
    emulator.setToken("other");
    expect((await publish([], "other")).status).toBe(200);
  });

  test.each([
    ["no array", {}],
    ["not JSON", "["],
    ["an item that is no object", [1]],
    ["no destination", [{ body: "x" }]],
    ["a destination that is neither URL nor URL Group", [{ destination: "nowhere" }]],
    ["a body that is no string", [{ destination: "http://127.0.0.1:9/", body: {} }]],
    ["a header that is no string", [{ destination: "http://127.0.0.1:9/", headers: { A: 1 } }]],
    ["an unknown field", [{ destination: "http://127.0.0.1:9/", url: "x" }]],
    [
      "a queue with a delay",
      [{ destination: "http://127.0.0.1:9/", queue: "q", headers: { "Upstash-Delay": "1s" } }],
    ],
    [
      "a colon in a dedup id",
      [{ destination: "http://127.0.0.1:9/", headers: { "upstash-deduplication-id": "a:b" } }],
    ],
  ])("fails as a whole on %s", async (_, items) => {
    await start();
    const good = { destination: `${target}/good`, body: "good" };
    const { status, body } = await publish(Array.isArray(items) ? [good, ...(items as unknown[])] : items);
    expect({ status, body }).toEqual({ status: 400, body: { error: expect.any(String) } });
    await emulator.idle();
    expect(received).toEqual([]);
    expect(emulator.journal.counts().accepted).toBe(0);
  });

  test("refuses a message over the size limit with 412", async () => {
    await start({ maxMessageBytes: 10 });
    const { status, body } = await publish([{ destination: target, body: "x".repeat(11) }]);
    expect(status).toBe(412);
    expect(body).toEqual({ error: expect.stringMatching(/^quota maxMessageSize exceeded/) });
  });

  test("does not enqueue a deduplication id twice inside the window, even after the first one failed", async () => {
    answer = () => ({ status: 500 });
    await start({ dedupWindowMs: 60_000 });
    const item = {
      destination: target,
      headers: { "Upstash-Deduplication-Id": "once", "Upstash-Retries": "0" },
    };
    const [first] = await published([item]);
    await emulator.idle();
    expect(emulator.dlq.size).toBe(1);
    expect(await published([item])).toEqual([{ ...first, deduplicated: true }]);
    await emulator.idle();
    expect(received).toHaveLength(1);

    emulator.clock.advance(60_001);
    expect((await published([item]))[0]).not.toHaveProperty("deduplicated");
  });

  test("recognises equal content when asked to", async () => {
    await start();
    const item = {
      destination: target,
      body: "same",
      headers: { "Upstash-Content-Based-Deduplication": "true" },
    };
    const answers = await published([item, item, { ...item, body: "other" }]);
    expect(answers.map(({ deduplicated }) => deduplicated)).toEqual([undefined, true, undefined]);
  });

  test("takes headers in another order for equal content", async () => {
    await start();
    const one = {
      "Upstash-Content-Based-Deduplication": "true",
      "Upstash-Forward-A": "1",
      "Upstash-Forward-B": "2",
    };
    const other = Object.fromEntries(Object.entries(one).toReversed());
    const answers = await published([one, other].map((headers) => ({ destination: target, headers })));
    expect(answers.map(({ deduplicated }) => deduplicated)).toEqual([undefined, true]);
  });
});

describe("delivery", () => {
  test("sends method, body, content type and forwarded headers, and its own beside them", async () => {
    await start();
    const [answered] = await published([
      {
        destination: `${target}/x`,
        body: "héllo",
        headers: {
          "Content-Type": "text/plain",
          "upstash-method": "PUT",
          "Upstash-Forward-X-Order": "7",
          "Upstash-Forward-Host": "elsewhere",
        },
      },
    ]);
    await emulator.idle();
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      method: "PUT",
      body: "héllo",
      headers: {
        "content-type": "text/plain",
        "x-order": "7",
        host: new URL(target).host,
        "upstash-message-id": answered?.messageId,
        "upstash-retried": "0",
        "user-agent": "Upstash-QStash",
        "upstash-signature": expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      },
    });
  });

  test("retries as often as asked and then keeps the last answer in the dead letter", async () => {
    answer = ({ headers }) => ({
      status: 500 + Number(headers["upstash-retried"]),
      headers: { "X-Why": "no" },
      body: "sorry",
    });
    await start();
    await publish([
      {
        destination: `${target}/x`,
        body: "text",
        headers: {
          "Content-Type": "text/plain",
          "Upstash-Retries": "2",
          "Upstash-Retry-Delay": "1000 * retried",
          "Upstash-Label": "a,b",
          "Upstash-Forward-X-Order": "7",
          "Upstash-Flow-Control-Key": "k",
          "Upstash-Flow-Control-Value": "parallelism=2,rate=5,period=2m",
        },
      },
    ]);
    await emulator.idle();
    expect(received.map(({ headers }) => headers["upstash-retried"])).toEqual(["0", "1", "2"]);
    expect(await deadLetters()).toEqual([
      expect.objectContaining({
        dlqId: expect.stringMatching(/^\d+-\d+$/),
        url: `${target}/x`,
        method: "POST",
        header: { "Content-Type": ["text/plain"], "X-Order": ["7"] },
        body: "text",
        bodyBase64: "",
        maxRetries: 2,
        retryDelayExpression: "1000 * retried",
        callerIP: "127.0.0.1",
        label: "a",
        labels: ["a", "b"],
        flowControlKey: "k",
        parallelism: 2,
        rate: 5,
        period: 120,
        responseStatus: 502,
        responseHeader: expect.objectContaining({ "X-Why": ["no"] }),
        responseBody: "sorry",
        responseBodyBase64: "",
      }),
    ]);
  });

  test("keeps an answer that is not UTF-8 as base64", async () => {
    answer = () => ({ status: 500, body: Buffer.from([0xff, 0x00]) });
    await start();
    await publish([{ destination: target, headers: { "Upstash-Retries": "0" } }]);
    await emulator.idle();
    expect((await deadLetters())[0]).toMatchObject({ responseBody: "", responseBodyBase64: "/wA=" });
  });

  test("takes 489 with the non-retryable header for never again", async () => {
    answer = () => ({ status: 489, headers: { "Upstash-NonRetryable-Error": "true" } });
    await start();
    await publish([{ destination: target, headers: { "Upstash-Retries": "5" } }]);
    await emulator.idle();
    expect(received).toHaveLength(1);
    expect(await deadLetters("?responseStatus=489")).toHaveLength(1);
  });

  test("does not call other machines, and counts that as a failed attempt at once", async () => {
    await start({ retryScale: 1 });
    await publish([{ destination: "https://example.com/", headers: { "Upstash-Retries": "0" } }]);
    await emulator.idle();
    const [record] = await deadLetters();
    expect(record).toMatchObject({ url: "https://example.com/" });
    expect(record).not.toHaveProperty("responseStatus");
  });

  test("gives up an attempt after the message's timeout", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    await start({ deliveryTimeoutMs: 50, missingStatus: "zero" });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    await publish([{ destination: url, headers: { "Upstash-Retries": "0" } }]);
    await emulator.idle();
    silent.close();
    expect(emulator.journal.entries("delivery")[0]).toMatchObject({
      status: 0,
      error: "no answer within 50 ms",
    });
    expect(await deadLetters("?responseStatus=0")).toHaveLength(1);
  });

  test("waits for a delay until the clock has moved on", async () => {
    await start();
    await publish([{ destination: target, headers: { "Upstash-Delay": "1h" } }]);
    expect(emulator.pending).toBe(1);
    emulator.clock.advance(3_600_000);
    await emulator.idle();
    expect(received).toHaveLength(1);
  });

  test("keeps the order of a queue and lets its head block it", async () => {
    let failures = 2;
    answer = () => ({ status: failures-- > 0 ? 500 : 200 });
    await start();
    await publish(["1", "2", "3"].map((body) => ({ destination: target, queue: "q", body })));
    await emulator.idle();
    expect(received.map(({ body }) => body)).toEqual(["1", "1", "1", "2", "3"]);
  });

  test("records which endpoint of a URL Group failed", async () => {
    answer = ({ path }) => ({ status: path === "/b" ? 500 : 200 });
    await start({ earlierForm: true });
    emulator.putUrlGroup("g", [{ url: `${target}/a` }, { name: "second", url: `${target}/b` }]);
    await publish([{ destination: "g", headers: { "Upstash-Retries": "0" } }]);
    await emulator.idle();
    expect(await deadLetters("?topicName=g")).toEqual([
      expect.objectContaining({
        url: `${target}/b`,
        topicName: "g",
        endpointName: "second",
        state: "failed",
        topicId: expect.any(String),
      }),
    ]);
  });

  test("calls back on every attempt, and on failure with the dlqId", async () => {
    answer = ({ path }) => ({ status: path === "/x" ? 500 : 200, body: "why" });
    await start();
    await publish([
      {
        destination: `${target}/x`,
        body: "in",
        headers: {
          "Upstash-Retries": "1",
          "Upstash-Callback": `${target}/callback`,
          "Upstash-Callback-Forward-X-For": "me",
          "Upstash-Failure-Callback": `${target}/failed`,
        },
      },
    ]);
    await emulator.idle();
    const callbacks = received.filter(({ path }) => path === "/callback");
    expect(callbacks).toHaveLength(2);
    expect(new Set(callbacks.map(({ body }) => (JSON.parse(body) as { retried: number }).retried))).toEqual(
      new Set([0, 1]),
    );
    expect(callbacks[0]?.headers["x-for"]).toBe("me");
    const [record] = await deadLetters();
    expect(record).toMatchObject({ callback: `${target}/callback`, callbackHeader: { "X-For": ["me"] } });
    const failed = received.find(({ path }) => path === "/failed");
    expect(JSON.parse(failed!.body)).toMatchObject({
      status: 500,
      body: Buffer.from("why").toString("base64"),
      sourceBody: Buffer.from("in").toString("base64"),
      sourceMessageId: record!["messageId"],
      dlqId: record!["dlqId"],
    });
  });

  test("lists redacted parts as their hash only", async () => {
    answer = () => ({ status: 500 });
    await start();
    await publish([
      {
        destination: target,
        body: "secret",
        headers: {
          "Upstash-Retries": "0",
          "Upstash-Redact-Fields": "body, header[X-Key]",
          "Upstash-Forward-X-Key": "k",
          "Upstash-Forward-X-Open": "o",
        },
      },
    ]);
    await emulator.idle();
    expect(received[0]).toMatchObject({ body: "secret", headers: { "x-key": "k" } });
    expect((await deadLetters())[0]).toMatchObject({
      body: expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/),
      header: { "X-Key": [expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/)], "X-Open": ["o"] },
    });
  });

  test("signs for the URL and the body with the current key, valid now", async () => {
    await start();
    await published([{ destination: `${target}/x?y=1`, body: "signed" }]);
    await emulator.idle();
    const [header, claims, signature] = String(received[0]?.headers["upstash-signature"]).split(".");
    const expected = createHmac("sha256", emulator.signingKeys.current).update(`${header}.${claims}`);
    expect(signature).toBe(expected.digest("base64url"));
    const now = emulator.clock.now() / 1_000;
    const parsed = JSON.parse(Buffer.from(claims!, "base64url").toString()) as Record<string, unknown>;
    expect(parsed).toMatchObject({
      sub: `${target}/x?y=1`,
      body: createHash("sha256").update("signed").digest("base64url"),
    });
    expect(parsed["nbf"]).toBeLessThanOrEqual(now);
    expect(parsed["exp"]).toBeGreaterThan(now);
  });

  test("speaks with the header prefix it was given, and with no other", async () => {
    answer = () => ({ status: 489, headers: { "Service-NonRetryable-Error": "true" } });
    await start({ headerPrefix: "Service-" });
    const headers = { "Service-Forward-A": "1", "Upstash-Forward-B": "2", "service-retries": "3" };
    await published([{ destination: target, headers }]);
    await emulator.idle();
    expect(received).toHaveLength(1);
    expect(received[0]?.headers).toMatchObject({ a: "1", "service-retried": "0" });
    expect(received[0]?.headers).not.toHaveProperty("b");
    expect((await deadLetters())[0]).toMatchObject({ maxRetries: 3 });
  });

  test("works at as many messages of a queue at once as its parallelism allows", async () => {
    await start({ retryScale: 1 });
    emulator.putQueue("wide", 2);
    answer = ({ body }) => ({ status: body === "stuck" ? 500 : 200 });
    const answers = await published(
      ["stuck", "1", "2"].map((body) => ({ destination: target, queue: "wide", body })),
    );
    await emulator.journal.waitFor(
      (entry) => entry.type === "delivery" && entry.messageId === answers[2]?.messageId,
    );
    await expect.poll(() => emulator.pending).toBe(1);
  });
});

test("rate limits answer 429 with the burst headers until the window has passed", async () => {
  await start({ rateLimits: { batch: { limit: 2, windowMs: 60_000 } }, clock: { now: () => 60_000 } });
  expect([(await publish([])).status, (await publish([])).status, (await publish([])).status]).toEqual([
    200, 200, 429,
  ]);
  emulator.clock.advance(60_000);
  expect((await publish([])).status).toBe(200);
});
