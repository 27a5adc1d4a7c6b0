import { describe, expect, test } from "vitest";
import { useControlStand } from "../../../../test/support/control-stand.ts";

const stand = useControlStand();
const { batch, call, control, dlq, journal, publish } = stand;

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
    expect(stand.emulator.token).toBe("new");
    const before = stand.emulator.clock.now();
    await control("POST", "/clock", { advanceMs: 86_400_000 });
    expect(stand.emulator.clock.now() - before).toBeGreaterThanOrEqual(86_400_000);
    expect((await control("POST", "/dlq", { records: [{ dlqId: "5-1" }, {}] })).body).toEqual({
      dlqIds: ["5-1", expect.any(String)],
    });
    expect((await control("PUT", "/url-groups/g", { endpoints: [{ url: stand.target }] })).status).toBe(200);
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
    expect(
      (await call("POST", "/v2/topics/g/endpoints", { endpoints: [{ name: "a", url: stand.target }] }))
        .status,
    ).toBe(200);
    expect((await call("POST", "/v2/queues/", { queueName: "q", parallelism: 3 })).status).toBe(200);
    expect((await control("GET", "/url-groups")).body).toMatchObject({
      urlGroups: [{ name: "g", endpoints: [{ name: "a", url: stand.target }] }],
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
    stand.emulator.clock.advance(0.5);
    stand.emulator.clock.advance(0.25);
    const [dlqId] = stand.emulator.dlq.seed([{}]);
    expect(dlqId).toMatch(/^\d+-\d+$/);
    expect(stand.emulator.dlq.find(dlqId!)).toMatchObject({ dlqId });
    expect((await control("GET", "/clock")).body).toEqual({ now: expect.toSatisfy(Number.isInteger) });
  });

  test("leaves the clock the last year that its timestamps can show", async () => {
    const last = Date.UTC(9999, 0) - 1;
    expect((await control("POST", "/clock", { to: last })).status).toBe(200);
    expect(() => stand.emulator.clock.advance(86_400_000)).toThrow(RangeError);
    const { username, password } = stand.emulator.statsCredentials;
    const answer = await fetch(`${stand.emulator.url}/v2/search/demo/stats`, {
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
      const answer = await fetch(`${stand.emulator.controlUrl}/_control${path}`, { method: "POST", body });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: expect.stringContaining("nested") },
      ]);
    }
    expect(() => stand.emulator.dlq.seed([{}, { deep: JSON.parse(deep) as unknown }])).toThrow("nested");
    expect((await control("GET", "/state")).body).toMatchObject({ dlqSize: 0 });
    expect((await control("GET", "/faults")).body).toEqual({ faults: [] });
  });

  test("numbers on behind the highest id that a record can be given", async () => {
    const highest = "253402300799999-999999999";
    expect((await control("POST", "/dlq", { records: [{ dlqId: highest }] })).status).toBe(201);
    const ids = stand.emulator.dlq.seed([{}, {}]);
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
    await stand.restart({ journalLimit: 3 });
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
    await batch([{ destination: stand.target, queue: "q" }]);
    expect(await control("GET", "/idle?timeoutMs=30")).toEqual({
      status: 504,
      body: { error: "not idle within 30 ms: 1 pending" },
    });
    const idle = control("GET", "/idle?timeoutMs=20000");
    await control("PUT", "/queues/q", { paused: false });
    expect(await idle).toMatchObject({ status: 200, body: { pending: 0 } });
  });
});
