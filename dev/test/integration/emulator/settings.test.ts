import { describe, expect, test } from "vitest";
import { startEmulator } from "../../../emulator/index.ts";
import { useControlStand, type Told } from "../../../../test/support/control-stand.ts";

const stand = useControlStand();
const { batch, call, control, dlq, page, publish } = stand;
const settings = async (): Promise<Record<string, unknown>> =>
  (await control("GET", "/settings")).body as Record<string, unknown>;
const patch = (body: unknown): Promise<Told> => control("PATCH", "/settings", body);
const seededIds = async (query = ""): Promise<string[]> =>
  (await page(query)).messages.map(({ dlqId }) => dlqId);
const bury = async (): Promise<Record<string, unknown>> => {
  const item = { destination: "http://127.0.0.1:1/", headers: { "Upstash-Retries": "0" } };
  const [{ messageId }] = (await (await batch([item])).json()) as [{ messageId: string }];
  await control("GET", "/idle");
  return { ...(await page(`?messageId=${messageId}`)).messages[0]! };
};
const once = async (): Promise<unknown> =>
  (await batch([{ destination: stand.target, headers: { "Upstash-Deduplication-Id": "d" } }])).json();
const publishOne = (): Promise<Response> => publish(1, undefined, { "Upstash-Retries": "3" });

const next = (cursor: string | undefined): Promise<string[]> => seededIds(`?count=2&cursor=${cursor}`);

describe("settings", () => {
  test("are told, with null where there is no end", async () => {
    expect(await settings()).toEqual({
      order: "earliestFirst",
      cursorBy: "record",
      dateFilter: "entered",
      retentionMs: null,
      retryScale: 0,
      dedupWindowMs: 600_000,
      dedupWindowFrom: "first",
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
    stand.emulator.dlq.seed([{ dlqId: "1-0" }, { dlqId: "2-0" }]);
    expect((await patch({ order: "latestFirst" })).body).toMatchObject({ order: "latestFirst" });
    expect(await seededIds()).toEqual(["2-0", "1-0"]);
  });

  test("dateFilter changes what the dates look at", async () => {
    stand.emulator.dlq.seed([{ dlqId: "5000-0", createdAt: 1_000 }]);
    expect(await seededIds("?toDate=2000")).toEqual([]);
    await patch({ dateFilter: "created" });
    expect(await seededIds("?toDate=2000")).toEqual(["5000-0"]);
  });

  test("retentionMs lets records expire, null keeps them", async () => {
    const now = stand.emulator.clock.now();
    stand.emulator.dlq.seed([{ dlqId: `${now - 5_000}-0` }, { dlqId: `${now}-0` }]);
    await patch({ retentionMs: 4_000 });
    expect(await seededIds()).toEqual([`${now}-0`]);
    await patch({ retentionMs: null });
    stand.emulator.clock.advance(86_400_000);
    expect(await seededIds()).toEqual([`${now}-0`]);
  });

  test("dedupWindowMs changes how long an id is remembered", async () => {
    await once();
    expect(await once()).toEqual([{ messageId: expect.any(String), deduplicated: true }]);
    await patch({ dedupWindowMs: 0 });
    expect(await once()).toEqual([{ messageId: expect.any(String) }]);
  });

  test.each([
    ["first", undefined],
    ["last", true],
  ] as const)("dedupWindowFrom lets the window count from the %s of an id", async (dedupWindowFrom, hit) => {
    await patch({ dedupWindowFrom, dedupWindowMs: 10_000 });
    const [first] = (await once()) as [{ messageId: string }];
    stand.emulator.clock.advance(6_000);
    expect(await once()).toEqual([{ messageId: first.messageId, deduplicated: true }]);
    stand.emulator.clock.advance(6_000);
    expect(await once()).toMatchObject([{ messageId: expect.any(String) }]);
    expect(stand.emulator.journal.counts()).toMatchObject(
      hit ? { accepted: 1, deduplicated: 2 } : { accepted: 2, deduplicated: 1 },
    );
    stand.emulator.clock.advance(10_000);
    await once();
    expect(stand.emulator.journal.counts().accepted).toBe(hit ? 2 : 3);
  });

  test("cursorBy offset lets what is deleted before a cursor shift what follows it", async () => {
    const seeded = stand.emulator.dlq.seed(Array.from({ length: 6 }, (_, n) => ({ dlqId: `${n + 1}-0` })));
    const byRecord = await page("?count=2");
    await patch({ cursorBy: "offset" });
    const byOffset = await page("?count=2");
    expect(await next(byOffset.cursor)).toEqual(["3-0", "4-0"]);
    await dlq("DELETE", `?dlqIds=${seeded[0]}&dlqIds=${seeded[1]}`);
    expect(await next(byOffset.cursor)).toEqual(["5-0", "6-0"]);
    // A listing that is under way goes on by the record that it had come to.
    expect(await next(byRecord.cursor)).toEqual(["3-0", "4-0"]);
    const { cursor } = await page(`?count=1&cursor=${byRecord.cursor}`);
    await dlq("DELETE", "?dlqIds=3-0");
    expect(await next(cursor)).toEqual(["4-0", "5-0"]);
  });

  test("cursorBy offset counts what a filter lets through, in either order", async () => {
    stand.emulator.dlq.seed(
      Array.from({ length: 8 }, (_, n) => ({ dlqId: `${n + 1}-0`, label: n % 2 ? "a" : "b" })),
    );
    await patch({ cursorBy: "offset", order: "latestFirst" });
    const { cursor } = await page("?count=2&label=a&toDate=7");
    expect(await seededIds(`?label=a&toDate=7&cursor=${cursor}`)).toEqual(["2-0"]);
    const third = await page(`?count=1&label=a&cursor=${(await page("?count=2&label=a")).cursor}`);
    expect(await seededIds(`?label=a&cursor=${third.cursor}`)).toEqual(["2-0"]);
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
    expect(() => stand.emulator.adjust({ maxMessageBytes: 1e9 })).toThrow("maxMessageBytes");
    expect(await settings()).toMatchObject({ maxMessageBytes: largest, maxRetries: 3 });
    await expect(startEmulator({ maxMessageBytes: 1e9 })).rejects.toThrow("maxMessageBytes");
  });

  test("maxMessageBytes and maxRetries refuse with 412", async () => {
    expect((await publishOne()).status).toBe(200);
    await patch({ maxMessageBytes: 3 });
    expect((await publishOne()).status).toBe(412);
    await patch({ maxMessageBytes: 1_000, maxRetries: 2 });
    expect((await publishOne()).status).toBe(412);
  });

  test("a message that does not say how often it is retried fits any maxRetries", async () => {
    await patch({ maxRetries: 0 });
    const { status } = await call("POST", "/v2/publish/http://127.0.0.1:1/");
    expect(status).toBe(200);
  });

  test("retryScale 0 lets at once what waits on the ladder from the next attempt on", async () => {
    await patch({ retryScale: 1 });
    await batch([{ destination: "http://127.0.0.1:1/", headers: { "Upstash-Retries": "1" } }]);
    await stand.emulator.journal.waitFor((entry) => entry.type === "delivery");
    expect(stand.emulator.pending).toBe(1);
    stand.emulator.clock.advance(13_000);
    await control("GET", "/idle");
    expect(stand.emulator.dlq.size).toBe(1);
  });

  test.each([
    ["burst", "burst-ratelimit-limit"],
    ["daily", "ratelimit-limit"],
  ] as const)(
    "rateLimits answer 429 with the headers of the %s limit, until the window is over",
    async (kind, header) => {
      await patch({ rateLimits: { list: { limit: 1, windowMs: 60_000, kind } } });
      stand.emulator.clock.advance(60_000 - (stand.emulator.clock.now() % 60_000));
      expect((await dlq()).status).toBe(200);
      const refused = await dlq();
      expect([refused.status, refused.headers.get(header)]).toEqual([429, "1"]);
      expect((await publishOne()).status).toBe(200);
      stand.emulator.clock.advance(60_000);
      expect((await dlq()).status).toBe(200);
    },
  );

  test("rateLimits of dlq count lists and deletes together", async () => {
    await patch({ rateLimits: { dlq: { limit: 2, windowMs: 60_000 } } });
    stand.emulator.clock.advance(60_000 - (stand.emulator.clock.now() % 60_000));
    expect((await dlq()).status).toBe(200);
    expect((await dlq("DELETE")).status).toBe(200);
    expect([(await dlq()).status, (await dlq("DELETE")).status]).toEqual([429, 429]);
    expect((await publishOne()).status).toBe(200);
  });

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
    [{ cursorBy: "id" }, "cursorBy"],
    [{ dedupWindowFrom: "hit" }, "dedupWindowFrom"],
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
