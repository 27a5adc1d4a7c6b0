import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmulator, type Emulator, type FaultDefinition } from "../../src/emulator/index.ts";

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
      Array.from({ length: count }, (_, n) => ({ destination: target, body: `body-${n}` })),
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
const manage = (path: string, body: unknown): Promise<Response> =>
  fetch(`${emulator.url}${path}`, { method: "POST", headers: auth(), body: JSON.stringify(body) });
async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${emulator.controlUrl}/_control${path}`, init);
  return { status: response.status, body: await response.json() };
}
interface JournalPage {
  readonly entries: readonly { readonly type: string; readonly seq: number; readonly at: number }[];
  readonly next?: number;
  readonly last: number;
  readonly forgotten?: number;
}
const journal = async (query: string): Promise<JournalPage> =>
  (await control("GET", `/journal${query}`)).body as JournalPage;
const stalled = (name: string): Promise<unknown> =>
  emulator.journal.waitFor((entry) => entry.type === "fault" && entry.name === name);

describe("faults", () => {
  test("are listed, added once per name, and removed", async () => {
    expect(
      await control("POST", "/faults", { kind: "latency", name: "slow", operation: "list", ms: 1 }),
    ).toEqual({
      status: 201,
      body: { name: "slow" },
    });
    expect(
      (await control("POST", "/faults", { kind: "latency", name: "slow", operation: "list", ms: 1 })).status,
    ).toBe(409);
    expect((await control("GET", "/faults")).body).toEqual({
      faults: [{ kind: "latency", name: "slow", operation: "list", ms: 1, fired: 0, held: 0 }],
    });
    expect((await control("DELETE", "/faults/slow")).status).toBe(200);
    expect((await control("DELETE", "/faults/slow")).status).toBe(404);
  });

  test.each([
    {},
    { kind: "mischief" },
    { kind: "latency" },
    { kind: "drop-answer", operation: "list", typo: 1 },
    [],
    3,
    null,
  ])("defined as %j are refused", async (definition) => {
    expect(await control("POST", "/faults", definition)).toEqual({
      status: 400,
      body: { error: expect.any(String) },
    });
  });

  test("drop-answer accepts the batch and then drops the connection", async () => {
    emulator.faults.add({ kind: "drop-answer", operation: "batch", count: 1 });
    await expect(publish()).rejects.toThrow("fetch failed");
    expect(emulator.journal.counts()).toMatchObject({ accepted: 3, requests: { "batch 0": 1 } });
    expect((await publish()).status).toBe(200);
  });

  test("drop-answer before leaves no trace", async () => {
    emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "before", count: 1 });
    await expect(publish()).rejects.toThrow("fetch failed");
    expect(emulator.journal.counts().accepted).toBe(0);
  });

  test("stall-answer holds the answer to a batch that took effect until it is released", async () => {
    emulator.faults.add({ kind: "stall-answer", name: "stall", operation: "batch" });
    const answer = publish();
    await stalled("stall");
    expect(emulator.journal.counts().accepted).toBe(3);
    expect(emulator.faults.list()).toEqual([expect.objectContaining({ name: "stall", held: 1, fired: 1 })]);
    await control("POST", "/faults/stall/release");
    expect((await answer).status).toBe(200);
  });

  test("stall-answer before lets a publish happen that its sender has given up", async () => {
    emulator.faults.add({ kind: "stall-answer", name: "stall", operation: "batch", when: "before" });
    const sender = new AbortController();
    const answer = publish(1, sender.signal);
    await stalled("stall");
    sender.abort();
    await expect(answer).rejects.toThrow("aborted");
    expect(emulator.journal.counts().accepted).toBe(0);
    emulator.faults.remove("stall");
    await emulator.journal.waitFor((entry) => entry.type === "accepted");
  });

  test("a reset hangs up on what is stalled, and it leaves no trace", async () => {
    emulator.faults.add({ kind: "stall-answer", name: "stall", operation: "batch", when: "before" });
    const answer = publish();
    await stalled("stall");
    const hungUp = answer.catch((error: unknown) => error);
    await control("POST", "/reset");
    expect(await hungUp).toBeInstanceOf(Error);
    expect(emulator.journal.counts().accepted).toBe(0);
  });

  test("status answers 429 with the headers of the limit, before anything happened", async () => {
    emulator.faults.add({
      kind: "status",
      operation: "batch",
      status: 429,
      limit: "burst",
      resetInS: 5,
      count: 1,
    });
    const response = await publish();
    expect(response.status).toBe(429);
    expect(response.headers.get("burst-ratelimit-remaining")).toBe("0");
    const reset = Number(response.headers.get("burst-ratelimit-reset"));
    expect(reset - emulator.clock.now() / 1_000).toBeGreaterThan(3);
    expect(emulator.journal.counts().accepted).toBe(0);
  });

  test("item-error refuses single items and the rest is published", async () => {
    emulator.faults.add({ kind: "item-error", positions: [1], error: "no", count: 1 });
    emulator.faults.add({ kind: "item-error", bodyContains: "body-2", error: "nor this" });
    expect(await (await publish()).json()).toEqual([
      { messageId: expect.any(String) },
      { error: "no" },
      { error: "nor this" },
    ]);
    expect(emulator.journal.counts().accepted).toBe(1);
  });

  test.each([
    [{ kind: "short-answer" } as const, 2],
    [{ kind: "long-answer", by: 2 } as const, 5],
    [{ kind: "reordered-answer" } as const, 3],
  ])("%j changes the answer only", async (fault, length) => {
    emulator.faults.add(fault);
    expect(await (await publish()).json()).toHaveLength(length);
    expect(emulator.journal.counts().accepted).toBe(3);
  });

  test("malformed-json and cut-answer spoil the answer", async () => {
    emulator.faults.add({ kind: "malformed-json", operation: "list", count: 1 });
    await expect((await dlq()).json()).rejects.toThrow(/JSON/);
    emulator.faults.add({ kind: "cut-answer", operation: "list", count: 1 });
    await expect(dlq().then((response) => response.text())).rejects.toThrow("terminated");
    expect((await dlq()).status).toBe(200);
  });

  test("delete-works-answers-500 deletes and denies it", async () => {
    const [dlqId] = emulator.dlq.seed([{}]);
    emulator.faults.add({ kind: "delete-works-answers-500" });
    expect((await dlq("DELETE", `?dlqIds=${dlqId}`)).status).toBe(500);
    expect(emulator.dlq.size).toBe(0);
  });

  test("repeat-page and looping-cursor make a listing go in circles", async () => {
    emulator.dlq.seed([{ messageId: "a" }, { messageId: "b" }]);
    const first = await page("?count=1");
    emulator.faults.add({ kind: "repeat-page", count: 1 });
    expect((await page(`?count=1&cursor=${first.cursor}`)).messages).toEqual(first.messages);
    emulator.faults.add({ kind: "looping-cursor" });
    expect((await page(`?count=1&cursor=${first.cursor}`)).cursor).toBe(first.cursor);
  });

  test("fire with the given probability", async () => {
    await emulator.close();
    const rolls = [0.9, 0.1];
    emulator = await startEmulator({ random: () => rolls.shift() ?? 1 });
    emulator.faults.add({ kind: "status", operation: "list", status: 503, probability: 0.5 });
    expect([(await dlq()).status, (await dlq()).status, (await dlq()).status]).toEqual([200, 503, 200]);
  });

  test("never apply to a request with a wrong token", async () => {
    emulator.faults.add({ kind: "status", operation: "any", status: 503 } satisfies FaultDefinition);
    expect((await fetch(`${emulator.url}/v2/dlq`)).status).toBe(401);
  });
});

describe("the control API", () => {
  test("tells what happened, by type and page by page", async () => {
    await publish();
    await control("GET", "/idle");
    const first = await journal("?type=accepted,delivery&limit=4");
    expect(first.entries).toHaveLength(4);
    const second = await journal(`?type=accepted,delivery&after=${first.next}`);
    expect(second.entries.map(({ type }) => type)).toEqual(["delivery", "delivery"]);
    expect(second).not.toHaveProperty("next");
    expect((await control("GET", "/counts")).body).toMatchObject({
      accepted: 3,
      delivered: 3,
      requests: { "batch 200": 1 },
    });
  });

  test("replaces the token, moves the clock, seeds, sets up groups and queues, and resets", async () => {
    expect((await control("PUT", "/token", { token: "new" })).status).toBe(200);
    expect(emulator.token).toBe("new");
    const before = emulator.clock.now();
    await control("POST", "/clock", { advanceMs: 86_400_000 });
    expect(emulator.clock.now() - before).toBeGreaterThanOrEqual(86_400_000);
    expect((await control("POST", "/dlq", { records: [{ dlqId: "5-1" }, {}] })).body).toEqual({
      dlqIds: ["5-1", expect.any(String)],
    });
    expect((await control("PUT", "/url-groups/g", { endpoints: [{ url: target }] })).status).toBe(200);
    expect((await control("PUT", "/queues/q", { parallelism: 2 })).body).toEqual({
      name: "q",
      parallelism: 2,
      paused: false,
    });
    expect((await control("GET", "/state")).body).toMatchObject({
      dlqSize: 2,
      pending: 0,
      indexes: ["demo"],
    });
    await control("POST", "/reset");
    expect((await control("GET", "/state")).body).toMatchObject({ dlqSize: 0 });
    expect((await control("GET", "/url-groups")).body).toEqual({ urlGroups: [] });
  });

  test("makes URL Groups and queues the way the service does", async () => {
    expect((await manage("/v2/topics/g/endpoints", { endpoints: [{ name: "a", url: target }] })).status).toBe(
      200,
    );
    expect((await manage("/v2/queues/", { queueName: "q", parallelism: 3 })).status).toBe(200);
    expect((await control("GET", "/url-groups")).body).toMatchObject({
      urlGroups: [{ name: "g", endpoints: [{ name: "a", url: target }] }],
    });
    expect((await control("GET", "/queues")).body).toEqual({
      queues: [{ name: "q", parallelism: 3, paused: false }],
    });
  });

  test("writes down what it changed, but not what it was asked", async () => {
    await control("GET", "/state");
    await control("POST", "/dlq", { records: [{}, {}] });
    await control("PUT", "/queues/q", { paused: true });
    await control("PUT", "/queues/q", { paused: true });
    await control("PUT", "/queues/q", { paused: false });
    await control("PUT", "/queues/q", { parallelism: 0 });
    const { entries } = await journal("");
    expect(entries.map(({ seq: _seq, at: _at, ...entry }) => entry)).toEqual([
      { type: "seeded", records: 2 },
      { type: "control", method: "POST", path: "/_control/dlq", status: 201 },
      { type: "paused", queueName: "q" },
      { type: "control", method: "PUT", path: "/_control/queues/q", status: 200 },
      { type: "control", method: "PUT", path: "/_control/queues/q", status: 200 },
      { type: "resumed", queueName: "q" },
      { type: "control", method: "PUT", path: "/_control/queues/q", status: 200 },
      { type: "control", method: "PUT", path: "/_control/queues/q", status: 400 },
    ]);
    await control("POST", "/reset");
    expect((await journal("")).entries).toEqual([]);
  });

  test("moves the clock to a moment, forward only", async () => {
    const { now } = (await control("GET", "/clock")).body as { now: number };
    const moved = (await control("POST", "/clock", { to: now + 3_600_000 })).body as { now: number };
    expect(moved.now).toBeGreaterThanOrEqual(now + 3_600_000);
    expect((await control("POST", "/clock", { to: now })).status).toBe(400);
  });

  test("tells whole milliseconds, whatever the clock is moved by", async () => {
    emulator.clock.advance(0.5);
    emulator.clock.advance(0.25);
    const [dlqId] = emulator.dlq.seed([{}]);
    expect(dlqId).toMatch(/^\d+-\d+$/);
    expect(emulator.dlq.find(dlqId!)).toMatchObject({ dlqId });
    expect((await control("GET", "/clock")).body).toEqual({ now: expect.toSatisfy(Number.isInteger) });
  });

  test("leaves the clock the last year that its timestamps can show", async () => {
    const last = Date.UTC(9999, 0) - 1;
    expect((await control("POST", "/clock", { to: last })).status).toBe(200);
    expect(() => emulator.clock.advance(86_400_000)).toThrow(RangeError);
    const { username, password } = emulator.statsCredentials;
    const answer = await fetch(`${emulator.url}/v2/search/demo/stats`, {
      headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` },
    });
    const { query_throughput: points } = (await answer.json()) as { query_throughput: { x: string }[] };
    expect(points.at(-1)!.x).toMatch(/^\d{4}-\d\d-\d\d /);
  });

  test("puts all records there or none: one that is nested too deeply refuses them all", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    for (const [path, body] of [
      ["/dlq", `{"records":[{"dlqId":"5-1"},{"deep":${deep}}]}`],
      ["/faults", `{"kind":"item-error","answer":${deep}}`],
    ] as const) {
      const answer = await fetch(`${emulator.controlUrl}/_control${path}`, { method: "POST", body });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: expect.stringContaining("nested") },
      ]);
    }
    expect(() => emulator.dlq.seed([{}, { deep: JSON.parse(deep) as unknown }])).toThrow("nested");
    expect((await control("GET", "/state")).body).toMatchObject({ dlqSize: 0 });
    expect((await control("GET", "/faults")).body).toEqual({ faults: [] });
  });

  test("numbers on behind the highest id that a record can be given", async () => {
    const highest = "253402300799999-999999999";
    expect((await control("POST", "/dlq", { records: [{ dlqId: highest }] })).status).toBe(201);
    const ids = emulator.dlq.seed([{}, {}]);
    expect(ids).toEqual(["253402300800000-0", "253402300800000-1"]);
    for (const dlqId of ids) expect(await dlq("GET", `/${dlqId}`)).toMatchObject({ status: 200 });
  });

  test.each([
    ["GET", "/nothing", undefined, 404],
    ["PATCH", "/faults", undefined, 405],
    ["PUT", "/token", { token: "" }, 400],
    ["PUT", "/token", { token: "two words" }, 400],
    ["POST", "/clock", { advanceMs: -1 }, 400],
    ["POST", "/clock", { advanceMs: 1e15 }, 400],
    ["POST", "/clock", { advanceMs: 0.5 }, 400],
    ["POST", "/clock", { to: Date.UTC(9999, 0) }, 400],
    ["POST", "/clock", { advanceMs: 1, to: 1 }, 400],
    ["POST", "/clock", {}, 400],
    ["PUT", "/url-groups/g", { endpoints: [{ url: "ftp://x" }] }, 400],
    ["PUT", "/queues/q", { parallelism: 0 }, 400],
    ["DELETE", "/queues/nobody", undefined, 404],
    ["POST", "/dlq", { records: [{ dlqId: "mine" }] }, 400],
    ["POST", "/dlq", { records: [{ dlqId: "253402300800000-0" }] }, 400],
    ["GET", "/journal?after=x", undefined, 400],
    ["GET", "/journal?type=requests", undefined, 400],
    ["GET", "/journal?tpye=request", undefined, 400],
    ["GET", "/journal?wait=600001", undefined, 400],
    ["GET", "/idle?timeout=1", undefined, 400],
    ["GET", "/state?x=1", undefined, 400],
  ])("refuses %s %s %j with %d", async (method, path, body, status) => {
    expect(await control(method, path, body)).toEqual({ status, body: { error: expect.any(String) } });
  });
});

describe("the journal", () => {
  test("can be waited for: an entry that comes ends the wait", async () => {
    const { last } = await journal("");
    const coming = journal(`?type=accepted&after=${last}&wait=20000`);
    await publish(1);
    expect((await coming).entries).toEqual([expect.objectContaining({ type: "accepted" })]);
  });

  test("answers an entry that is there at once, and nothing when the wait is over", async () => {
    await publish(1);
    const startedAt = performance.now();
    expect((await journal("?type=accepted&wait=20000")).entries).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    const { entries, last } = await journal("?type=fault&wait=30");
    expect(entries).toEqual([]);
    expect(last).toBeGreaterThan(0);
  });

  test("tells one message's way", async () => {
    const [first] = (await (await publish(2)).json()) as { messageId: string }[];
    await control("GET", "/idle");
    const { entries } = await journal(`?messageId=${first!.messageId}`);
    expect(entries.map(({ type }) => type)).toEqual(["accepted", "delivery"]);
  });

  test("says how much it has forgotten, and keeps its numbers over a reset", async () => {
    await emulator.close();
    emulator = await startEmulator({ journalLimit: 3 });
    for (let n = 0; n < 10; n++) await dlq();
    const { entries, last, forgotten } = await journal("");
    expect([entries.map(({ seq }) => seq), last, forgotten]).toEqual([[8, 9, 10], 10, 7]);
    expect(await journal("?after=8")).toMatchObject({ entries: [{ seq: 9 }, { seq: 10 }] });
    expect(await journal("?after=8")).not.toHaveProperty("forgotten");
    await control("POST", "/reset");
    await dlq();
    expect(await journal("")).toMatchObject({ entries: [{ seq: 11 }], last: 11 });
    expect(await journal("")).not.toHaveProperty("forgotten");
  });
});

describe("idle", () => {
  test("is waited for, and 504 says that it did not come in time", async () => {
    expect((await control("GET", "/idle?timeoutMs=5000")).body).toMatchObject({ pending: 0 });
    await control("PUT", "/queues/q", { paused: true });
    await fetch(`${emulator.url}/v2/batch`, {
      method: "POST",
      headers: auth(),
      body: JSON.stringify([{ destination: target, queue: "q" }]),
    });
    expect(await control("GET", "/idle?timeoutMs=30")).toEqual({
      status: 504,
      body: { error: "not idle within 30 ms: 1 pending" },
    });
    const idle = control("GET", "/idle?timeoutMs=20000");
    await control("PUT", "/queues/q", { paused: false });
    expect(await idle).toMatchObject({ status: 200, body: { pending: 0 } });
  });
});
