import { describe, expect, test } from "vitest";
import type { FaultDefinition } from "../../../emulator/index.ts";
import { useControlStand } from "../../../../test/support/control-stand.ts";

const stand = useControlStand();
const { control, dlq, page, publish } = stand;
const stalled = (name: string): Promise<unknown> =>
  stand.emulator.journal.waitFor((entry) => entry.type === "fault" && entry.name === name);

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
    stand.emulator.faults.add({ kind: "drop-answer", operation: "batch", count: 1 });
    await expect(publish()).rejects.toThrow("fetch failed");
    expect(stand.emulator.journal.counts()).toMatchObject({ accepted: 3, requests: { "batch 0": 1 } });
    expect((await publish()).status).toBe(200);
  });

  test("drop-answer before leaves no trace", async () => {
    stand.emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "before", count: 1 });
    await expect(publish()).rejects.toThrow("fetch failed");
    expect(stand.emulator.journal.counts().accepted).toBe(0);
  });

  test("stall-answer holds the answer to a batch that took effect until it is released", async () => {
    stand.emulator.faults.add({ kind: "stall-answer", name: "stall", operation: "batch" });
    const answer = publish();
    await stalled("stall");
    expect(stand.emulator.journal.counts().accepted).toBe(3);
    expect(stand.emulator.faults.list()).toEqual([
      expect.objectContaining({ name: "stall", held: 1, fired: 1 }),
    ]);
    await control("POST", "/faults/stall/release");
    expect((await answer).status).toBe(200);
  });

  test("stall-answer before lets a publish happen that its sender has given up", async () => {
    stand.emulator.faults.add({ kind: "stall-answer", name: "stall", operation: "batch", when: "before" });
    const sender = new AbortController();
    const answer = publish(1, sender.signal);
    await stalled("stall");
    sender.abort();
    await expect(answer).rejects.toThrow("aborted");
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    stand.emulator.faults.remove("stall");
    await stand.emulator.journal.waitFor((entry) => entry.type === "accepted");
  });

  test("a reset hangs up on what is stalled, and it leaves no trace", async () => {
    stand.emulator.faults.add({ kind: "stall-answer", name: "stall", operation: "batch", when: "before" });
    const answer = publish();
    await stalled("stall");
    const hungUp = answer.catch((error: unknown) => error);
    await control("POST", "/reset");
    expect(await hungUp).toBeInstanceOf(Error);
    expect(stand.emulator.journal.counts().accepted).toBe(0);
  });

  test("status answers 429 with the headers of the limit, before anything happened", async () => {
    stand.emulator.faults.add({
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
    expect(reset - stand.emulator.clock.now() / 1_000).toBeGreaterThan(3);
    expect(stand.emulator.journal.counts().accepted).toBe(0);
  });

  test("item-error refuses single items and the rest is published", async () => {
    stand.emulator.faults.add({ kind: "item-error", positions: [1], error: "no", count: 1 });
    stand.emulator.faults.add({ kind: "item-error", bodyContains: "body-2", error: "nor this" });
    expect(await (await publish()).json()).toEqual([
      { messageId: expect.any(String) },
      { error: "no" },
      { error: "nor this" },
    ]);
    expect(stand.emulator.journal.counts().accepted).toBe(1);
  });

  test("refuse-batch refuses the whole call for one item, and publishes nothing", async () => {
    stand.emulator.faults.add({ kind: "refuse-batch", bodyContains: "body-2", error: "no" });
    const refused = await publish();
    expect([refused.status, await refused.json()]).toEqual([400, { error: "no" }]);
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    expect((await publish(2)).status).toBe(200);
    expect(stand.emulator.journal.counts()).toMatchObject({
      accepted: 2,
      requests: { "batch 400": 1, "batch 200": 1 },
    });
  });

  test.each([
    [{ kind: "short-answer" } as const, 2],
    [{ kind: "long-answer", by: 2 } as const, 5],
    [{ kind: "reordered-answer" } as const, 3],
  ])("%j changes the answer only", async (fault, length) => {
    stand.emulator.faults.add(fault);
    expect(await (await publish()).json()).toHaveLength(length);
    expect(stand.emulator.journal.counts().accepted).toBe(3);
  });

  test("malformed-json and cut-answer spoil the answer", async () => {
    stand.emulator.faults.add({ kind: "malformed-json", operation: "list", count: 1 });
    await expect((await dlq()).json()).rejects.toThrow(/JSON/);
    stand.emulator.faults.add({ kind: "cut-answer", operation: "list", count: 1 });
    await expect(dlq().then((response) => response.text())).rejects.toThrow("terminated");
    expect((await dlq()).status).toBe(200);
  });

  test("delete-works-answers-500 deletes and denies it", async () => {
    const [dlqId] = stand.emulator.dlq.seed([{}]);
    stand.emulator.faults.add({ kind: "delete-works-answers-500" });
    expect((await dlq("DELETE", `?dlqIds=${dlqId}`)).status).toBe(500);
    expect(stand.emulator.dlq.size).toBe(0);
  });

  test("repeat-page and looping-cursor make a listing go in circles", async () => {
    stand.emulator.dlq.seed([{ messageId: "a" }, { messageId: "b" }]);
    const first = await page("?count=1");
    stand.emulator.faults.add({ kind: "repeat-page", count: 1 });
    expect((await page(`?count=1&cursor=${first.cursor}`)).messages).toEqual(first.messages);
    stand.emulator.faults.add({ kind: "looping-cursor" });
    expect((await page(`?count=1&cursor=${first.cursor}`)).cursor).toBe(first.cursor);
  });

  test("fire with the given probability", async () => {
    // This seed gives 0.63, 0.003 and 0.53.
    await stand.restart({ seed: 1 });
    stand.emulator.faults.add({ kind: "status", operation: "list", status: 503, probability: 0.5 });
    expect([(await dlq()).status, (await dlq()).status, (await dlq()).status]).toEqual([200, 503, 200]);
  });

  test("never apply to a request with a wrong token", async () => {
    stand.emulator.faults.add({ kind: "status", operation: "any", status: 503 } satisfies FaultDefinition);
    expect((await fetch(`${stand.emulator.url}/v2/dlq`)).status).toBe(401);
  });
});

describe("a definition with a mistake", () => {
  test.each([
    [{ kind: "mischief" }, "kind"],
    [{ operation: "list" }, "kind"],
    [{ kind: "latency", operation: "list", ms: -1 }, "ms"],
    [{ kind: "latency", operation: "list", ms: 1e12 }, "ms"],
    [{ kind: "latency", operation: "list", ms: 5, toMs: 1 }, "toMs"],
    [{ kind: "latency", operation: "read", ms: 1 }, "operation"],
    [{ kind: "short-answer", operation: "list" }, "operation"],
    [{ kind: "status", operation: "list", status: 700 }, "status"],
    [{ kind: "status", operation: "list", status: 503, when: "later" }, "when"],
    [{ kind: "status", operation: "list", status: 503, headers: { "a b": "c" } }, "headers.a b"],
    [{ kind: "status", operation: "list", status: 503, headers: { a: "b\r\nc: d" } }, "headers.a"],
    [
      { kind: "headers", operation: "list", headers: { "Transfer-Encoding": "chunked" } },
      "headers.Transfer-Encoding",
    ],
    [{ kind: "stall-answer", operation: "list", at: "body", when: "before" }, "when"],
    [{ kind: "drop-answer", operation: "list", probability: 2 }, "probability"],
    [{ kind: "drop-answer", operation: "list", count: 0 }, "count"],
    [{ kind: "drop-answer", operation: "list", name: "" }, "name"],
    [{ kind: "drop-answer", operation: "list", typo: 1 }, "typo"],
    [{ kind: "arriving-records", records: [{ dlqId: "x" }] }, "records.0.dlqId"],
  ])("%j is one 400 that names %s", async (definition, field) => {
    const { status, body } = await control("POST", "/faults", definition);
    expect(status).toBe(400);
    const { error } = body as { readonly error: string };
    expect(error).toContain(field);
    expect(error).not.toContain("; ");
    expect(stand.emulator.faults.list()).toEqual([]);
  });

  test("that is sound is listed with every field as it was understood", async () => {
    expect(await control("POST", "/faults", { kind: "drop-answer", operation: "any" })).toEqual({
      status: 201,
      body: { name: "drop-answer-1" },
    });
    expect((await control("GET", "/faults/drop-answer-1")).body).toEqual({
      kind: "drop-answer",
      name: "drop-answer-1",
      operation: "any",
      when: "after",
      close: "fin",
      fired: 0,
      held: 0,
    });
    for (const [method, path] of [
      ["GET", "/faults/nobody"],
      ["DELETE", "/faults/nobody"],
      ["POST", "/faults/nobody/release"],
    ] as const) {
      expect(await control(method, path)).toEqual({ status: 404, body: { error: "no such fault" } });
    }
  });
});
