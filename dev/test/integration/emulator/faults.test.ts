import net from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator, type FaultDefinition } from "../../../emulator/index.ts";

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ retryScale: 0, seed: 1 });
});
afterEach(() => emulator.close());

const authorization = (): string => `Bearer ${emulator.token}`;
const call = (method: string, path: string, body?: string): Promise<Response> =>
  fetch(`${emulator.url}${path}`, {
    method,
    headers: { Authorization: authorization() },
    ...(body === undefined ? {} : { body }),
  });
const items = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, n) => ({ destination: "http://127.0.0.1:1/", body: `body-${n}` })),
  );
const batch = (count = 2): Promise<Response> => call("POST", "/v2/batch", items(count));
const list = async (query = ""): Promise<{ cursor?: string; messages: { dlqId: string }[] }> =>
  (await (await call("GET", `/v2/dlq${query}`)).json()) as { cursor?: string; messages: { dlqId: string }[] };
const idsOf = async (query = ""): Promise<string[]> => (await list(query)).messages.map(({ dlqId }) => dlqId);
interface Conversation {
  readonly bytes: string;
  /** Undefined for a polite end. */
  readonly errorCode: string | undefined;
}

/** A listing over a plain socket, until its end. */
function talk(onData?: (soFar: string) => void): Promise<Conversation> {
  const { port } = new URL(emulator.url);
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.write(
    `GET /v2/dlq HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization()}\r\nConnection: close\r\n\r\n`,
  );
  return new Promise((resolve) => {
    let bytes = "";
    let errorCode: string | undefined;
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.toString("latin1");
      onData?.(bytes);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      errorCode = error.code;
    });
    socket.on("close", () => resolve({ bytes, errorCode }));
  });
}

const outcomes = async (): Promise<string> => {
  let text = "";
  for (let n = 0; n < 20; n++) text += (await call("GET", "/v2/dlq")).status === 200 ? "." : "x";
  return text;
};

/** Sends header lines as they are, the doubled ones included. */
function statusWith(lines: readonly string[]): Promise<string> {
  const { port } = new URL(emulator.url);
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.end(["DELETE /v2/dlq HTTP/1.1", "Host: x", "Connection: close", ...lines, "", ""].join("\r\n"));
  return new Promise((resolve, reject) => {
    let bytes = "";
    socket.on("data", (chunk: Buffer) => (bytes += chunk.toString()));
    socket.on("error", reject);
    socket.on("close", () => resolve(`${bytes.slice(9, 12)} ${bytes.slice(bytes.indexOf("\r\n\r\n") + 4)}`));
  });
}

describe("latency", () => {
  test.each(["batch", "list", "delete", "statistics", "manage"] as const)(
    "concerns %s alone when it is told so",
    async (operation) => {
      emulator.faults.add({ kind: "latency", name: "slow", operation, ms: 0 });
      const calls = [
        batch(1),
        call("GET", "/v2/dlq"),
        call("DELETE", "/v2/dlq?dlqIds=1-0"),
        fetch(`${emulator.url}/v2/search/demo/stats`, { headers: { Authorization: basic() } }),
        call("GET", "/v2/queues"),
      ];
      await Promise.all(calls);
      expect(emulator.faults.list()).toEqual([expect.objectContaining({ name: "slow", fired: 1 })]);
      expect(emulator.journal.entries("fault").map((entry) => entry.operation)).toEqual([operation]);
    },
  );

  test("between two bounds is drawn anew for each request", async () => {
    emulator.faults.add({ kind: "latency", operation: "list", ms: 10, toMs: 300 });
    for (let n = 0; n < 6; n++) await list();
    const waits = emulator.journal.entries("request").map(({ durationMs }) => durationMs);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(9);
    // That six draws from 290 ms lie within 20 ms of each other happens once in 100,000 runs.
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(20);
  });
});

const basic = (): string => {
  const { username, password } = emulator.statsCredentials;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
};

describe("an end of the connection", () => {
  test.each([
    ["fin", undefined],
    ["reset", "ECONNRESET"],
  ] as const)("instead of an answer can be a %s", async (close, errorCode) => {
    emulator.faults.add({ kind: "drop-answer", operation: "list", close });
    expect(await talk()).toEqual({ bytes: "", errorCode });
  });

  test("in the middle of an answer can be a reset", async () => {
    emulator.faults.add({ kind: "cut-answer", operation: "list", close: "reset" });
    const { bytes, errorCode } = await talk();
    expect(errorCode).toBe("ECONNRESET");
    expect(bytes.endsWith('{"messages":[]}')).toBe(false);
  });
});

describe("a stall in the body", () => {
  test("sends head and half of the body, and the rest once it is let go", async () => {
    emulator.dlq.seed([{ dlqId: "5-0" }]);
    emulator.faults.add({ kind: "stall-answer", name: "stall", operation: "list", at: "body" });
    const halves: string[] = [];
    const ended = talk((soFar) => {
      halves.push(soFar);
      if (halves.length === 1) emulator.faults.release("stall");
    });
    const { bytes } = await ended;
    expect(halves[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(halves[0]!.length).toBeLessThan(bytes.length);
    expect(JSON.parse(bytes.slice(bytes.indexOf("\r\n\r\n")))).toMatchObject({
      messages: [{ dlqId: "5-0" }],
    });
  });

  test("ends with the connection when the emulator is reset", async () => {
    emulator.faults.add({ kind: "stall-answer", operation: "list", at: "body" });
    const { bytes } = await talk(() => void emulator.reset());
    expect(bytes).toMatch(/Content-Length: 15\r\n/);
    expect(bytes).not.toContain('{"messages":[]}');
  });
});

describe("an answer of its own", () => {
  test("can be a proxy's page of HTML", async () => {
    emulator.faults.add({
      kind: "status",
      operation: "batch",
      status: 502,
      headers: { "content-type": "text/html" },
      body: "<html>Bad Gateway</html>",
    });
    const response = await batch();
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      502,
      "text/html",
      "<html>Bad Gateway</html>",
    ]);
    expect(emulator.journal.counts().accepted).toBe(0);
  });

  test("can be an object instead of the array of a batch that took effect", async () => {
    emulator.faults.add({
      kind: "status",
      operation: "batch",
      status: 200,
      when: "after",
      body: '{"messageId":"m"}',
    });
    expect(await (await batch()).json()).toEqual({ messageId: "m" });
    expect(emulator.journal.counts().accepted).toBe(2);
  });

  test.each([
    ["burst", "burst-ratelimit-reset"],
    ["daily", "ratelimit-reset"],
  ] as const)("can be a 429 of the %s limit with a Retry-After", async (limit, header) => {
    emulator.faults.add({
      kind: "status",
      operation: "delete",
      status: 429,
      limit,
      resetInS: 7,
      headers: { "Retry-After": "7" },
    });
    const response = await call("DELETE", "/v2/dlq?dlqIds=1-0");
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    const inS = Number(response.headers.get(header)) - emulator.clock.now() / 1_000;
    expect(inS).toBeGreaterThan(5);
    expect(inS).toBeLessThan(8.1);
  });
});

describe("headers", () => {
  test("replace those of an answer that is right otherwise", async () => {
    emulator.faults.add({ kind: "headers", operation: "list", headers: { "content-type": "text/html" } });
    const response = await call("GET", "/v2/dlq");
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(await response.json()).toEqual({ messages: [] });
  });

  test.each(["5", "500"])("can announce %s bytes where there are 15", async (length) => {
    emulator.faults.add({ kind: "headers", operation: "list", headers: { "Content-Length": length } });
    const { bytes } = await talk();
    expect(bytes).toContain(`Content-Length: ${length}\r\n`);
    expect(bytes).toMatch(/\r\n\r\n\{"messages":\[\]\}$/);
  });
});

describe("an item's answer", () => {
  test.each([null, {}, { messageId: "" }, [], "msg_1"])(
    "can be %j although it was published",
    async (answer) => {
      emulator.faults.add({ kind: "item-error", positions: [0], answer, published: true });
      expect(await (await batch()).json()).toEqual([answer, { messageId: expect.stringMatching(/^msg_/) }]);
      expect(emulator.journal.counts().accepted).toBe(2);
    },
  );

  test("can be null and nothing published", async () => {
    emulator.faults.add({ kind: "item-error", positions: [0], answer: null });
    expect(await (await batch()).json()).toEqual([null, { messageId: expect.any(String) }]);
    expect(emulator.journal.counts().accepted).toBe(1);
  });
});

const published = (n: number): unknown => ({
  messageId: expect.stringMatching(/^msg_/),
  url: `http://127.0.0.1:1/${n}`,
});

describe("a URL Group of which half fails", () => {
  const group = "half";
  const send = async (destination = group): Promise<unknown> =>
    (
      await call(
        "POST",
        "/v2/batch",
        JSON.stringify([{ destination, body: "x", headers: { "Upstash-Deduplication-Id": "id-1" } }]),
      )
    ).json();
  test("gets every other message, says so in one answer, and the id counts as published", async () => {
    emulator.putUrlGroup(
      group,
      [0, 1, 2, 3].map((n) => ({ url: `http://127.0.0.1:1/${n}` })),
    );
    emulator.faults.add({ kind: "half-failed-group", count: 1, error: "no" });
    expect(await send()).toEqual([
      [
        published(0),
        published(2),
        { url: "http://127.0.0.1:1/1", error: "no" },
        { url: "http://127.0.0.1:1/3", error: "no" },
      ],
    ]);
    expect(emulator.journal.entries("accepted").map(({ url }) => url.at(-1))).toEqual(["0", "2"]);
    expect(await send()).toMatchObject([[{ deduplicated: true }, { deduplicated: true }]]);
    expect(emulator.journal.counts().accepted).toBe(2);
  });

  test("may be what an item for one URL is answered as", async () => {
    emulator.faults.add({ kind: "half-failed-group", destinationContains: "/0" });
    expect(await send("http://127.0.0.1:1/0")).toEqual([
      [published(0), { url: "http://127.0.0.1:1/0", error: expect.any(String) }],
    ]);
    expect(emulator.journal.counts().accepted).toBe(1);
  });
});

describe("a listing", () => {
  test("never ends, and leads to its beginning by another cursor each time", async () => {
    emulator.dlq.seed([{ dlqId: "10-0" }, { dlqId: "20-0" }]);
    emulator.faults.add({ kind: "endless-list" });
    const first = await list();
    const second = await list(`?cursor=${first.cursor}`);
    expect(second.messages).toEqual(first.messages);
    expect(second.cursor).toEqual(expect.any(String));
    expect(second.cursor).not.toBe(first.cursor);
    const half = await list("?count=1");
    expect(await idsOf(`?count=1&cursor=${half.cursor}`)).toEqual(["20-0"]);
  });

  test("lags behind deletes for the time given, and nothing else does", async () => {
    const [id = ""] = emulator.dlq.seed([{}, {}]);
    emulator.faults.add({ kind: "lagging-list", forMs: 10_000, count: 1 });
    const remove = async (): Promise<unknown> => (await call("DELETE", `/v2/dlq?dlqIds=${id}`)).json();
    expect(await remove()).toEqual({ deleted: 1 });
    expect(await idsOf()).toContain(id);
    expect(await remove()).toEqual({ deleted: 0 });
    expect((await call("GET", `/v2/dlq/${id}`)).status).toBe(404);
    expect(emulator.dlq.size).toBe(1);
    emulator.clock.advance(10_000);
    expect(await idsOf()).not.toContain(id);
    expect(emulator.dlq.size).toBe(1);
    expect(emulator.journal.counts().deleted).toBe(1);
  });

  test("meets records that arrive while it goes on", async () => {
    emulator.dlq.seed([{ dlqId: "10-0" }, { dlqId: "20-0" }]);
    emulator.faults.add({
      kind: "arriving-records",
      count: 1,
      records: [{ dlqId: "5-0" }, { dlqId: "15-0" }],
    });
    const first = await list("?count=1");
    expect(first.messages).toMatchObject([{ dlqId: "10-0" }]);
    expect(await idsOf(`?cursor=${first.cursor}`)).toEqual(["15-0", "20-0"]);
    expect(await idsOf()).toEqual(["5-0", "10-0", "15-0", "20-0"]);
  });
});

describe("a probability", () => {
  const half: FaultDefinition = { kind: "status", operation: "list", status: 503, probability: 0.5 };

  test("goes the same way for the same seed, after a reset and after the seed is set anew", async () => {
    emulator.faults.add(half);
    const first = await outcomes();
    expect(first).toContain(".");
    expect(first).toContain("x");
    await emulator.reset();
    emulator.faults.add(half);
    expect(await outcomes()).toBe(first);
    expect(await outcomes()).not.toBe(first);
    emulator.adjust({ seed: 1 });
    expect(await outcomes()).toBe(first);
    emulator.adjust({ seed: 2 });
    expect(await outcomes()).not.toBe(first);
  });

  test("of 0 never fires and of 1 always does", async () => {
    emulator.faults.add({ ...half, probability: 0 });
    expect(await outcomes()).toBe(".".repeat(20));
    emulator.faults.add({ ...half, probability: 1 });
    expect(await outcomes()).toBe("x".repeat(20));
  });
});

describe("a request without the right token", () => {
  test("is answered 401, has no effect and meets no fault", async () => {
    emulator.dlq.seed([{}]);
    emulator.faults.add({ kind: "drop-answer", operation: "any" });
    const good = `Authorization: Bearer ${emulator.token}`;
    // What else is no right token is refused by the conformance suite.
    const bad = [
      [],
      [good, good],
      [good, "Authorization: Bearer other"],
      ["Authorization: Bearer other", good],
    ];
    for (const lines of bad)
      expect(await statusWith(lines), lines.join()).toBe('401 {"error":"unauthorized"}');
    expect(emulator.dlq.size).toBe(1);
    expect(emulator.faults.list()).toEqual([expect.objectContaining({ fired: 0 })]);
    expect(await statusWith([good])).toBe(" ");
    expect(emulator.dlq.size).toBe(0);
  });
});
