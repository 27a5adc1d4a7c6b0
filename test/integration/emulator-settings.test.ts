import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../../src/emulator/index.ts";

let emulator: Emulator;
let target: string;
const receiver = createServer((request, response) => {
  request.resume().on("end", () => response.end());
});

beforeEach(async () => {
  emulator = await startEmulator({ retryScale: 0 });
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

const auth = (): { Authorization: string } => ({ Authorization: `Bearer ${emulator.token}` });
const publish = (count = 3, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${emulator.url}/v2/batch`, {
    method: "POST",
    headers: auth(),
    body: JSON.stringify(
      Array.from({ length: count }, (_, n) => ({
        destination: target,
        body: `body-${n}`,
        headers: { "Upstash-Retries": "3" },
      })),
    ),
    signal,
  });
const dlq = (method = "GET", query = ""): Promise<Response> =>
  fetch(`${emulator.url}/v2/dlq${query}`, { method, headers: auth() });
interface ListPage {
  readonly cursor?: string;
  readonly messages: readonly { readonly messageId: string }[];
}
const page = async (query: string): Promise<ListPage> => (await (await dlq("GET", query)).json()) as ListPage;
async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${emulator.controlUrl}/_control${path}`, init);
  return { status: response.status, body: await response.json() };
}
const settings = async (): Promise<Record<string, unknown>> =>
  (await control("GET", "/settings")).body as Record<string, unknown>;
const patch = (body: unknown): Promise<{ status: number; body: unknown }> =>
  control("PATCH", "/settings", body);
const seededIds = async (query = ""): Promise<string[]> =>
  ((await (await dlq("GET", query)).json()) as { messages: { dlqId: string }[] }).messages.map(
    ({ dlqId }) => dlqId,
  );
const bury = async (): Promise<Record<string, unknown>> => {
  const [{ messageId }] = (await (
    await fetch(`${emulator.url}/v2/batch`, {
      method: "POST",
      headers: auth(),
      body: JSON.stringify([{ destination: "http://127.0.0.1:1/", headers: { "Upstash-Retries": "0" } }]),
    })
  ).json()) as [{ messageId: string }];
  await control("GET", "/idle");
  return ((await page(`?messageId=${messageId}`)).messages as unknown as Record<string, unknown>[])[0]!;
};

const once = async (): Promise<unknown> =>
  (
    await fetch(`${emulator.url}/v2/batch`, {
      method: "POST",
      headers: auth(),
      body: JSON.stringify([{ destination: target, headers: { "Upstash-Deduplication-Id": "d" } }]),
    })
  ).json();

describe("settings", () => {
  test("are told, with null where there is no end", async () => {
    expect(await settings()).toEqual({
      order: "earliestFirst",
      dateFilter: "entered",
      retentionMs: null,
      retryScale: 0,
      dedupWindowMs: 600_000,
      deliver: "loopback",
      missingStatus: "absent",
      recordHeaders: "forwarded",
      earlierForm: false,
      listParameters: "production",
      maxMessageBytes: 1_048_576,
      maxRetries: null,
      rateLimits: {},
      seed: expect.any(Number),
    });
  });

  test("order changes the order of listings", async () => {
    emulator.dlq.seed([{ dlqId: "1-0" }, { dlqId: "2-0" }]);
    expect((await patch({ order: "latestFirst" })).body).toMatchObject({ order: "latestFirst" });
    expect(await seededIds()).toEqual(["2-0", "1-0"]);
  });

  test("dateFilter changes what the dates look at", async () => {
    emulator.dlq.seed([{ dlqId: "5000-0", createdAt: 1_000 }]);
    expect(await seededIds("?toDate=2000")).toEqual([]);
    await patch({ dateFilter: "created" });
    expect(await seededIds("?toDate=2000")).toEqual(["5000-0"]);
  });

  test("retentionMs lets records expire, null keeps them", async () => {
    const now = emulator.clock.now();
    emulator.dlq.seed([{ dlqId: `${now - 5_000}-0` }, { dlqId: `${now}-0` }]);
    await patch({ retentionMs: 4_000 });
    expect(await seededIds()).toEqual([`${now}-0`]);
    await patch({ retentionMs: null });
    emulator.clock.advance(86_400_000);
    expect(await seededIds()).toEqual([`${now}-0`]);
  });

  test("dedupWindowMs changes how long an id is remembered", async () => {
    await once();
    expect(await once()).toEqual([{ messageId: expect.any(String), deduplicated: true }]);
    await patch({ dedupWindowMs: 0 });
    expect(await once()).toEqual([{ messageId: expect.any(String) }]);
  });

  test("missingStatus, recordHeaders and earlierForm change the records that enter from now on", async () => {
    const before = await bury();
    expect(before).not.toHaveProperty("responseStatus");
    expect(before).not.toHaveProperty("state");
    await patch({ missingStatus: "zero", recordHeaders: "sent", earlierForm: true });
    const after = await bury();
    expect(after).toMatchObject({ responseStatus: 0, state: "failed" });
    expect(Object.keys(after["header"] as object)).toContain("Upstash-Message-Id");
  });

  test("no message can be larger than the largest plan allows", async () => {
    const largest = 52_428_800;
    expect((await patch({ maxMessageBytes: largest, maxRetries: 3 })).status).toBe(200);
    expect((await patch({ maxMessageBytes: largest + 1, maxRetries: 2 })).status).toBe(400);
    expect(() => emulator.adjust({ maxMessageBytes: 1e9 })).toThrow("maxMessageBytes");
    expect(await settings()).toMatchObject({ maxMessageBytes: largest, maxRetries: 3 });
    await expect(startEmulator({ maxMessageBytes: 1e9 })).rejects.toThrow("maxMessageBytes");
  });

  test("maxMessageBytes and maxRetries refuse with 412", async () => {
    expect((await publish(1)).status).toBe(200);
    await patch({ maxMessageBytes: 3 });
    expect((await publish(1)).status).toBe(412);
    await patch({ maxMessageBytes: 1_000, maxRetries: 2 });
    expect((await publish(1)).status).toBe(412);
  });

  test("a message that does not say how often it is retried fits any maxRetries", async () => {
    await patch({ maxRetries: 0 });
    const { status } = await fetch(`${emulator.url}/v2/publish/http://127.0.0.1:1/`, {
      method: "POST",
      headers: { Authorization: `Bearer ${emulator.token}` },
    });
    expect(status).toBe(200);
  });

  test("retryScale 0 lets at once what waits on the ladder from the next attempt on", async () => {
    await patch({ retryScale: 1 });
    await fetch(`${emulator.url}/v2/batch`, {
      method: "POST",
      headers: auth(),
      body: JSON.stringify([{ destination: "http://127.0.0.1:1/", headers: { "Upstash-Retries": "1" } }]),
    });
    await emulator.journal.waitFor((entry) => entry.type === "delivery");
    expect(emulator.pending).toBe(1);
    emulator.clock.advance(13_000);
    await control("GET", "/idle");
    expect(emulator.dlq.size).toBe(1);
  });

  test.each([
    ["burst", "burst-ratelimit-limit"],
    ["daily", "ratelimit-limit"],
  ] as const)(
    "rateLimits answer 429 with the headers of the %s limit, until the window is over",
    async (kind, header) => {
      await patch({ rateLimits: { list: { limit: 1, windowMs: 60_000, kind } } });
      emulator.clock.advance(60_000 - (emulator.clock.now() % 60_000));
      expect((await dlq()).status).toBe(200);
      const refused = await dlq();
      expect([refused.status, refused.headers.get(header)]).toEqual([429, "1"]);
      expect((await publish(1)).status).toBe(200);
      emulator.clock.advance(60_000);
      expect((await dlq()).status).toBe(200);
    },
  );

  test("are again what they were at the start after a reset", async () => {
    const before = await settings();
    await patch({
      order: "latestFirst",
      retentionMs: 5,
      seed: 3,
      rateLimits: { list: { limit: 0, windowMs: 1 } },
    });
    await control("POST", "/reset");
    expect(await settings()).toEqual(before);
  });

  test.each([
    [{ order: "newest" }, "order"],
    [{ retentionMs: 0 }, "retentionMs"],
    [{ retryScale: "1" }, "retryScale"],
    [{ rateLimits: { reading: { limit: 1, windowMs: 1 } } }, "rateLimits"],
    [{ rateLimits: { list: { limit: 1 } } }, "rateLimits.list.windowMs"],
    [{ seed: -1 }, "seed"],
    [{ token: "x" }, "token"],
    [[], "body"],
  ])("refuse %j, name %s and change nothing", async (body, field) => {
    const before = await settings();
    const answer = await patch(Array.isArray(body) ? body : { earlierForm: true, ...body });
    expect(answer).toEqual({ status: 400, body: { error: expect.stringContaining(field) } });
    expect(await settings()).toEqual(before);
  });
});
