import { request } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../emulator/index.ts";

interface ListPage {
  readonly cursor?: string;
  readonly messages: readonly Record<string, unknown>[];
}

let emulator: Emulator;
afterEach(() => emulator.close());

async function start(options: EmulatorOptions = {}): Promise<void> {
  emulator = await startEmulator(options);
}

async function call(
  method: "GET" | "DELETE",
  query: string,
  body = "",
): Promise<{ status: number; body: unknown; date: string | null }> {
  const headers = { Authorization: `Bearer ${emulator.token}` };
  // undici, because fetch sends no body with GET.
  const response = await request(`${emulator.url}/v2/dlq${query}`, { method, headers, body });
  const { date = null } = response.headers;
  return { status: response.statusCode, body: await response.body.json(), date: date as string | null };
}

async function list(query: string): Promise<ListPage> {
  return (await call("GET", query)).body as ListPage;
}

async function ids(query: string): Promise<unknown[]> {
  return (await list(query)).messages.map(({ dlqId }) => dlqId);
}

const seedMany = (count: number): string[] =>
  emulator.dlq.seed(Array.from({ length: count }, (_, n) => ({ dlqId: `${1_000 + n}-0`, body: String(n) })));

describe("listing dead letters", () => {
  test("pages through all of them, with a cursor exactly while more remain", async () => {
    await start();
    const seeded = seedMany(200);
    const first = await list("");
    expect(first.messages).toHaveLength(100);
    const second = await list(`?cursor=${first.cursor}`);
    expect(second).not.toHaveProperty("cursor");
    expect([...first.messages, ...second.messages].map(({ dlqId }) => dlqId)).toEqual(seeded);
  });

  test("keeps a cursor good while records already seen are deleted", async () => {
    await start();
    const seeded = seedMany(30);
    const first = await list("?count=10");
    emulator.dlq.remove(seeded.slice(0, 10));
    expect(await ids(`?count=100&cursor=${first.cursor}`)).toEqual(seeded.slice(10));
  });

  test("lists the latest first where that is the order", async () => {
    await start({ order: "latestFirst" });
    const seeded = seedMany(25).toReversed();
    const first = await list("?count=10");
    const second = await list(`?count=100&cursor=${first.cursor}`);
    expect([...first.messages, ...second.messages].map(({ dlqId }) => dlqId)).toEqual(seeded);
  });

  test("includes both ends of a date range", async () => {
    await start();
    seedMany(10);
    expect(await ids("?fromDate=1002&toDate=1004")).toEqual(["1002-0", "1003-0", "1004-0"]);
    expect(await ids("?fromDate=1004&toDate=1002")).toEqual([]);
  });

  test("means createdAt by dates where it is told to", async () => {
    await start({ dateFilter: "created" });
    emulator.dlq.seed([
      { dlqId: "5-0", createdAt: 1 },
      { dlqId: "6-0", createdAt: 2 },
    ]);
    expect(await ids("?fromDate=2&toDate=2")).toEqual(["6-0"]);
  });

  test.each([
    ["?messageId=m1", ["1-0"]],
    ["?url=http://a/?x=1,2", ["2-0"]],
    ["?url=http://a/?x=1,2,http://b/", ["2-0", "3-0"]],
    ["?topicName=g1&topicName=g2", ["3-0", "4-0"]],
    ["?topicName=g1,g2", ["3-0", "4-0"]],
    ["?scheduleId=s", ["3-0"]],
    ["?queueName=q", ["4-0"]],
    ["?responseStatus=502,503", ["1-0", "2-0"]],
    ["?responseStatus=502&responseStatus=503&url=http://a/?x=1,2", ["2-0"]],
    ["?responseStatus=0", ["4-0"]],
    ["?callerIp=9.9.9.9", ["1-0"]],
    ["?label=second", ["1-0"]],
    ["?label=none", []],
  ])("filters by %s", async (query, expected) => {
    await start();
    emulator.dlq.seed([
      {
        dlqId: "1-0",
        messageId: "m1",
        responseStatus: 502,
        callerIP: "9.9.9.9",
        label: "first",
        labels: ["first", "second"],
      },
      { dlqId: "2-0", url: "http://a/?x=1,2", responseStatus: 503 },
      { dlqId: "3-0", url: "http://b/", topicName: "g1", scheduleId: "s" },
      { dlqId: "4-0", topicName: "g2", queueName: "q", responseStatus: undefined },
    ]);
    expect(await ids(query)).toEqual(expected);
  });

  test.each([
    "?order=latestFirst",
    "?count=101",
    "?count=0",
    "?count=ten",
    "?count=1.5",
    "?fromDate=yesterday",
    "?toDate=99999999999999999999",
    "?responseStatus=5xx",
    "?cursor=nonsense",
    "?fromDate=1&fromDate=2",
  ])("refuses %s with 400", async (query) => {
    await start();
    const { status, body } = await call("GET", query);
    expect({ status, body }).toEqual({ status: 400, body: { error: expect.any(String) } });
  });

  test("lists by ids and by flow control key, as the production service does", async () => {
    await start();
    emulator.dlq.seed([{ dlqId: "1-0" }, { dlqId: "2-0", flowControlKey: "k" }, { dlqId: "3-0" }]);
    expect(await ids("?dlqIds=3-0,9-9&dlqIds=1-0&dlqIds=1-0&count=1&label=none")).toEqual(["1-0", "3-0"]);
    expect(await list("?dlqIds=3-0")).not.toHaveProperty("cursor");
    expect(await ids("?flowControlKey=k")).toEqual(["2-0"]);
  });

  test.each(["?dlqIds=1-0", "?flowControlKey=k"])(
    "refuses %s where the specification holds",
    async (query) => {
      await start({ listParameters: "spec" });
      expect((await call("GET", query)).status).toBe(400);
      expect((await call("DELETE", query)).status).toBe(200);
    },
  );

  test("forgets records after the retention time", async () => {
    let now = Date.UTC(2026, 0, 1);
    await start({ clock: { now: () => now }, retentionMs: 1_000 });
    emulator.dlq.seed([{}]);
    now += 900;
    emulator.dlq.seed([{ messageId: "younger" }]);
    now += 101;
    const body = await list("");
    expect(body.messages.map(({ messageId }) => messageId)).toEqual(["younger"]);
    expect(emulator.journal.counts()).toMatchObject({ expired: 1, deleted: 0 });
  });

  test("carries the emulator's time in the Date header", async () => {
    await start({ clock: { now: () => Date.UTC(2030, 0, 1) } });
    emulator.clock.advance(60_000);
    expect((await call("GET", "")).date).toBe("Tue, 01 Jan 2030 00:01:00 GMT");
  });

  test("can hold a record without a dlqId, and fields nobody knows", async () => {
    await start();
    emulator.dlq.seed([{ dlqId: null, workflowRunId: "wfr_1" }]);
    const body = await list("");
    expect(body.messages[0]).not.toHaveProperty("dlqId");
    expect(body.messages[0]).toMatchObject({ workflowRunId: "wfr_1" });
  });

  test("finds a narrow range among 50,000 records without reading them all", async () => {
    await start();
    seedMany(50_000);
    const startedAt = performance.now();
    expect(await ids("?fromDate=50990&toDate=50992")).toHaveLength(3);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe("deleting dead letters", () => {
  test("by ids removes exactly those that are there, and ignores every other filter", async () => {
    await start();
    seedMany(5);
    const { status, body } = await call(
      "DELETE",
      "?dlqIds=1001-0&dlqIds=1003-0,7-7&dlqIds=gone&label=none&fromDate=9999",
    );
    expect({ status, body }).toEqual({ status: 200, body: { deleted: 2 } });
    expect(await ids("")).toEqual(["1000-0", "1002-0", "1004-0"]);
    expect(emulator.journal.entries("deleted")).toEqual([
      expect.objectContaining({ by: "ids", dlqIds: ["1001-0", "1003-0"] }),
    ]);
  });

  test("refuses more than 100 ids", async () => {
    await start();
    const seeded = seedMany(101);
    expect((await call("DELETE", `?dlqIds=${seeded.join(",")}`)).status).toBe(400);
    expect(emulator.dlq.size).toBe(101);
  });

  test("by filter removes up to count and answers a cursor while more match", async () => {
    await start();
    emulator.dlq.seed(
      Array.from({ length: 6 }, (_, n) => ({ flowControlKey: n % 2 === 0 ? "even" : "odd" })),
    );
    expect((await call("DELETE", "?flowControlKey=even&count=2")).body).toEqual({
      deleted: 2,
      cursor: expect.any(String),
    });
    expect((await call("DELETE", "?flowControlKey=even&count=2")).body).toEqual({ deleted: 1 });
    expect(emulator.dlq.size).toBe(3);
  });

  test.each(["", "?dlqIds=", "?count=100"])(
    "with nothing but %j deletes anything, as the service does",
    async (query) => {
      await start();
      seedMany(150);
      expect((await call("DELETE", query)).body).toMatchObject({ deleted: 100 });
    },
  );

  test("refuses what it does not know before deleting anything", async () => {
    await start();
    seedMany(3);
    expect((await call("DELETE", "?dlqIds=1000-0&force=true")).status).toBe(400);
    expect(emulator.dlq.size).toBe(3);
  });

  test("of one record answers 404 once it is gone", async () => {
    await start();
    seedMany(1);
    expect((await call("GET", "/1000-0")).body).toMatchObject({ dlqId: "1000-0" });
    expect((await call("DELETE", "/1000-0")).status).toBe(200);
    expect((await call("DELETE", "/1000-0")).status).toBe(404);
  });
});

const body = (dlqIds: readonly string[]): string => JSON.stringify({ dlqIds });

describe("ids in a body, as older clients send them", () => {
  test("name what is listed and what is deleted", async () => {
    await start();
    seedMany(5);
    const listed = (await call("GET", "", body(["1003-0", "1001-0", "7-7"]))).body as ListPage;
    expect(listed.messages.map(({ dlqId }) => dlqId)).toEqual(["1001-0", "1003-0"]);
    expect((await call("DELETE", "", body(["1001-0", "1003-0"]))).body).toEqual({ deleted: 2 });
    expect(await ids("")).toEqual(["1000-0", "1002-0", "1004-0"]);
  });

  test.each(['{"dlqIds":["1000-0"],"dlqIds":[]}', '{"dlqIds":[],"dlqIds":["1000-0"]}'])(
    "that are given twice are refused: %s",
    async (twice) => {
      await start();
      seedMany(2);
      expect((await call("DELETE", "", twice)).status).toBe(400);
      expect(emulator.dlq.size).toBe(2);
    },
  );

  test("may be spelled as JSON allows", async () => {
    await start();
    seedMany(2);
    const spelled = ' { "dlqIds" : [ "\\u0031000-0" , "a\\"b\\\\" ] }\n';
    expect((await call("DELETE", "", spelled)).body).toEqual({ deleted: 1 });
  });

  test("that are an empty list mean any message, as an empty query value does", async () => {
    await start();
    seedMany(150);
    expect((await call("DELETE", "?count=3", body([]))).body).toMatchObject({ deleted: 3 });
  });

  test.each([
    " ",
    "null",
    "[]",
    "{}",
    '["1000-0"]',
    '{"dlqIds":"1000-0"}',
    '{"dlqIds":["1000-0",""]}',
    '{"dlqIds":["1000-0",1]}',
    '{"dlqIds":["1000-0"],"cursor":"x"}',
    '{"dlqIds":["1000-0"]',
    '{"messageIds":["1000-0"]}',
  ])("are refused in the form %s, and nothing is deleted", async (text) => {
    await start();
    seedMany(3);
    expect((await call("GET", "", text)).status).toBe(400);
    expect((await call("DELETE", "", text)).status).toBe(400);
    expect(emulator.dlq.size).toBe(3);
  });

  test.each(["?dlqIds=1001-0", "?dlqIds="])("are refused beside %s in the query", async (query) => {
    await start();
    seedMany(3);
    expect((await call("DELETE", query, body(["1000-0"]))).status).toBe(400);
    expect(emulator.dlq.size).toBe(3);
  });

  test("are at most 100", async () => {
    await start();
    expect((await call("DELETE", "", body(seedMany(101)))).status).toBe(400);
    expect(emulator.dlq.size).toBe(101);
  });

  test("are refused in a listing where the specification holds", async () => {
    await start({ listParameters: "spec" });
    expect((await call("GET", "", body(["1000-0"]))).status).toBe(400);
  });
});
