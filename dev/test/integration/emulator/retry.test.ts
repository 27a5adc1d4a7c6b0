import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EmulatorStand, failDead, notText } from "../../../../test/support/emulator-stand.ts";

let stand: EmulatorStand;
beforeEach(() => {
  stand = new EmulatorStand();
});
afterEach(() => stand.close());

const messageId = expect.stringMatching(/^msg_/) as string;

describe("retry from the DLQ", () => {
  test("makes a new message of it and removes the record", async () => {
    await stand.start();
    const dlqId = await stand.deadLetter({ "Content-Type": "text/x", "Upstash-Forward-X-A": "1" }, "hello");
    const [old] = await stand.letters();
    const reply = await stand.call("POST", `/v2/dlq/retry/${dlqId}`, { "Content-Type": "application/json" });
    expect(reply).toEqual({ status: 201, body: { messageId } });
    expect(reply.body.messageId).not.toBe(old!["messageId"]);
    await stand.emulator.idle();
    expect(stand.received).toMatchObject([
      { method: "POST", path: "/dead", headers: { "content-type": "text/x", "x-a": "1" } },
    ]);
    expect(stand.received[0]!.body.toString()).toBe("hello");
    expect(await stand.letters()).toEqual([]);
    expect((await stand.call("POST", `/v2/dlq/retry/${dlqId}`)).status).toBe(404);
    expect(stand.emulator.journal.entries("deleted").at(-1)).toMatchObject({ dlqIds: [dlqId], by: "retry" });
  });

  test("keeps every setting that the record lists", async () => {
    await stand.start();
    const dlqId = await stand.deadLetter({
      "Upstash-Method": "PUT",
      "Upstash-Retry-Delay": "1000 * retried",
      "Upstash-Callback": `${stand.target}/callback`,
      "Upstash-Callback-Forward-X-C": "c",
      "Upstash-Failure-Callback": `${stand.target}/failure`,
      "Upstash-Label": "a,b",
      "Upstash-Flow-Control-Key": "k",
      "Upstash-Flow-Control-Value": "parallelism=1, rate=5, period=1m",
      "Upstash-Schedule-Id": "s",
    });
    const [before] = await stand.letters();
    stand.answer = failDead;
    await stand.call("POST", `/v2/dlq/retry/${dlqId}`);
    await stand.emulator.idle();
    const [after] = await stand.letters();
    const { messageId: _m, dlqId: _d, createdAt: _c, notBefore: _n, responseHeader: _r, ...kept } = before!;
    expect(after).toMatchObject(kept);
    expect(after!["messageId"]).not.toBe(before!["messageId"]);
  });

  test.each([
    { parallelism: 0 },
    { parallelism: 0.5 },
    { parallelism: -1 },
    { rate: 0 },
    { rate: 1e300 },
    { rate: 1, period: 0 },
    { rate: 1, period: 1e300 },
    { rate: "none" },
  ])("refuses a record whose flow control could never be met: %j", async (limits) => {
    await stand.start();
    const [dlqId] = stand.emulator.dlq.seed([{ url: `${stand.target}/`, flowControlKey: "k", ...limits }]);
    expect((await stand.call("POST", `/v2/dlq/retry/${dlqId}`)).status).toBe(400);
    expect((await stand.call("POST", `/v2/dlq/retry?dlqIds=${dlqId}`)).status).toBe(400);
    expect(await stand.letters()).toHaveLength(1);
    expect(stand.emulator.pending).toBe(0);
    const override = { "Upstash-Flow-Control-Key": "k", "Upstash-Flow-Control-Value": "rate=1" };
    expect((await stand.call("POST", `/v2/dlq/retry/${dlqId}`, override)).status).toBe(201);
  });

  test("sends a body that is not text byte by byte", async () => {
    await stand.start();
    const dlqId = await stand.deadLetter({}, notText);
    await stand.call("POST", `/v2/dlq/retry/${dlqId}`);
    await stand.emulator.idle();
    expect(stand.received.map(({ body }) => body.toString("hex"))).toEqual([notText.toString("hex")]);
  });

  test("restores redacted and binary content, and redacts it again", async () => {
    await stand.start();
    const dlqId = await stand.deadLetter(
      {
        "Upstash-Redact-Fields": "body, header[X-Secret]",
        "Upstash-Forward-X-Secret": "s3cret",
        "Upstash-Forward-X-Open": "o",
      },
      notText,
    );
    const [before] = await stand.letters();
    expect(before).toMatchObject({ body: expect.stringMatching(/^REDACTED:/), bodyBase64: "" });
    stand.answer = () => ({ status: 500 });
    await stand.call("POST", `/v2/dlq/retry/${dlqId}`);
    await stand.emulator.idle();
    expect(stand.received[0]!.body.equals(notText)).toBe(true);
    expect(stand.received[0]!.headers).toMatchObject({ "x-secret": "s3cret", "x-open": "o" });
    const [after] = await stand.letters();
    expect(after).toMatchObject({ body: before!["body"], header: before!["header"] });
  });

  test("keeps the timeout, which no record shows", async () => {
    await stand.start({ deliveryTimeoutMs: 40 });
    const dlqId = await stand.deadLetter({ "Upstash-Timeout": "20s" });
    stand.answer = async () => {
      await delay(120);
      return { status: 200 };
    };
    await stand.call("POST", `/v2/dlq/retry/${dlqId}`);
    await stand.emulator.idle();
    expect(await stand.letters()).toEqual([]);
    expect(stand.emulator.journal.entries("delivery").at(-1)).toMatchObject({ outcome: "delivered" });
  });

  test("sends the message's own headers, also where records show all that was sent", async () => {
    await stand.start({ recordHeaders: "sent" });
    const dlqId = await stand.deadLetter({ "Upstash-Forward-X-A": "1", "Content-Type": "text/x" });
    expect((await stand.letters())[0]!["header"]).toHaveProperty("User-Agent");
    const { body } = await stand.call("POST", `/v2/dlq/retry/${dlqId}`, { "Upstash-Delay": "1h" });
    expect((await stand.call("GET", `/v2/messages/${body.messageId}`)).body.header).toEqual({
      "Content-Type": ["text/x"],
      "X-A": ["1"],
    });
  });

  test("setting headers on the request override", async () => {
    await stand.start();
    const dlqId = await stand.deadLetter({ "Upstash-Forward-X-A": "1", "Upstash-Label": "old" });
    stand.answer = () => ({ status: 500 });
    await stand.call("POST", `/v2/dlq/retry/${dlqId}`, {
      "Upstash-Method": "PATCH",
      "Upstash-Retries": "1",
      "Upstash-Label": "new",
      "Upstash-Forward-X-A": "2",
      "Upstash-Forward-X-B": "3",
    });
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(2);
    expect(stand.received[1]).toMatchObject({ method: "PATCH", headers: { "x-a": "2", "x-b": "3" } });
    expect(await stand.letters()).toMatchObject([
      { maxRetries: 1, label: "new", labels: ["new"], method: "PATCH" },
    ]);
  });

  test("a delay on the request holds the new message back", async () => {
    await stand.start();
    const dlqId = await stand.deadLetter();
    await stand.call("POST", `/v2/dlq/retry/${dlqId}`, { "Upstash-Delay": "1h" });
    expect(stand.emulator.pending).toBe(1);
    expect(stand.emulator.dlq.size).toBe(0);
    stand.emulator.clock.advance(3_600_000);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);
  });

  test("a URL Group's record goes to its own endpoint and stays the group's", async () => {
    await stand.start();
    stand.emulator.putUrlGroup("g", [
      { name: "first", url: `${stand.target}/a` },
      { url: `${stand.target}/b` },
    ]);
    stand.answer = (path) => ({ status: path === "/a" ? 500 : 200 });
    await stand.call("POST", "/v2/publish/g", { "Upstash-Retries": "0" });
    await stand.emulator.idle();
    const [record] = await stand.letters();
    stand.received = [];
    const reply = await stand.call("POST", `/v2/dlq/retry/${String(record!["dlqId"])}`);
    expect(reply.body).toEqual({ messageId });
    await stand.emulator.idle();
    expect(stand.received.map(({ path }) => path)).toEqual(["/a"]);
    expect(await stand.letters()).toMatchObject([{ topicName: "g", endpointName: "first" }]);
  });

  test("a queue's record is enqueued again, and takes no delay", async () => {
    await stand.start();
    stand.emulator.dlq.seed([{ dlqId: "1-0", url: `${stand.target}/q`, queueName: "lane" }]);
    expect((await stand.call("POST", "/v2/dlq/retry/1-0", { "Upstash-Delay": "1s" })).status).toBe(400);
    expect(stand.emulator.dlq.size).toBe(1);
    expect((await stand.call("POST", "/v2/dlq/retry/1-0")).status).toBe(201);
    expect(stand.emulator.journal.entries("accepted")).toMatchObject([{ queueName: "lane" }]);
  });

  test.each([
    ["a setting that cannot be understood", { "Upstash-Retries": "many" }, 400],
    ["more retries than the quota", { "Upstash-Retries": "9" }, 412],
  ])("%s refuses it, and the records stay", async (_name, headers, status) => {
    await stand.start({ maxRetries: 5 });
    stand.emulator.dlq.seed([{ dlqId: "1-0" }, { dlqId: "2-0" }]);
    expect((await stand.call("POST", "/v2/dlq/retry/1-0", headers)).status).toBe(status);
    expect((await stand.call("POST", "/v2/dlq/retry", headers)).status).toBe(status);
    expect(stand.emulator.dlq.size).toBe(2);
    expect(stand.emulator.journal.entries("accepted")).toEqual([]);
  });

  test("of several ids one that is gone refuses the call, and nothing is sent", async () => {
    await stand.start();
    stand.emulator.dlq.seed([{ dlqId: "1-0", url: stand.target }]);
    const reply = await stand.call("POST", "/v2/dlq/retry?dlqIds=1-0&dlqIds=7-7");
    expect(reply).toEqual({ status: 404, body: { error: expect.stringContaining("7-7") } });
    expect(stand.emulator.dlq.size).toBe(1);
    expect(stand.emulator.journal.entries("accepted")).toEqual([]);
  });

  test("one record that cannot be sent refuses the call, and none is sent", async () => {
    await stand.start();
    stand.emulator.dlq.seed([
      { dlqId: "1-0", url: stand.target },
      { dlqId: "2-0", url: "nowhere" },
    ]);
    expect((await stand.call("POST", "/v2/dlq/retry")).status).toBe(400);
    expect(stand.emulator.dlq.size).toBe(2);
    expect(stand.emulator.journal.entries("accepted")).toEqual([]);
  });

  test("ids may come as a JSON body; each is sent once", async () => {
    await stand.start();
    stand.emulator.dlq.seed([
      { dlqId: "1-0", url: `${stand.target}/1` },
      { dlqId: "2-0", url: `${stand.target}/2` },
      { dlqId: "3-0", url: `${stand.target}/3` },
    ]);
    const reply = await stand.call(
      "POST",
      "/v2/dlq/retry",
      {},
      JSON.stringify({ dlqIds: ["1-0", "3-0", "1-0"] }),
    );
    expect(reply).toEqual({ status: 201, body: { responses: [{ messageId }, { messageId }] } });
    await stand.emulator.idle();
    expect(stand.paths()).toEqual(["/1", "/3"]);
    expect((await stand.letters()).map(({ dlqId }) => dlqId)).toEqual(["2-0"]);
  });

  test("a record whose message is deduplicated is not sent and stays", async () => {
    await stand.start();
    stand.emulator.dlq.seed([
      { dlqId: "1-0", url: `${stand.target}/1` },
      { dlqId: "2-0", url: `${stand.target}/2` },
    ]);
    const headers = { "Upstash-Deduplication-Id": "once" };
    const { body } = await stand.call("POST", "/v2/dlq/retry", headers);
    const [first, second] = body.responses;
    expect(second).toEqual({ messageId: first.messageId, deduplicated: true });
    await stand.emulator.idle();
    expect(stand.received.map(({ path }) => path)).toEqual(["/1"]);
    expect((await stand.letters()).map(({ dlqId }) => dlqId)).toEqual(["2-0"]);
  });

  test("the original's own deduplication id does not stand in its way", async () => {
    await stand.start();
    const dlqId = await stand.deadLetter({ "Upstash-Deduplication-Id": "mine" });
    expect((await stand.call("POST", `/v2/dlq/retry/${dlqId}`)).body).toEqual({ messageId });
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);
  });

  test("a record that is deleted and still listed is not sent", async () => {
    await stand.start();
    stand.emulator.dlq.seed([
      { dlqId: "1-0", url: `${stand.target}/1` },
      { dlqId: "2-0", url: `${stand.target}/2` },
    ]);
    stand.emulator.faults.add({ kind: "lagging-list", forMs: 60_000 });
    await stand.call("DELETE", "/v2/dlq?dlqIds=1-0");
    expect(await stand.letters()).toHaveLength(2);
    expect((await stand.call("POST", "/v2/dlq/retry")).body.responses).toHaveLength(1);
    await stand.emulator.idle();
    expect(stand.paths()).toEqual(["/2"]);
  });

  test("faults of retry act before and after it", async () => {
    await stand.start();
    stand.emulator.dlq.seed([{ dlqId: "1-0", url: stand.target }]);
    const before = stand.emulator.faults.add({ kind: "status", operation: "retry", status: 503 });
    expect((await stand.call("POST", "/v2/dlq/retry/1-0")).status).toBe(503);
    expect(stand.emulator.dlq.size).toBe(1);
    stand.emulator.faults.remove(before);
    stand.emulator.faults.add({ kind: "status", operation: "retry", status: 500, when: "after" });
    expect((await stand.call("POST", "/v2/dlq/retry/1-0")).status).toBe(500);
    await stand.emulator.idle();
    expect(stand.emulator.dlq.size).toBe(0);
    expect(stand.received).toHaveLength(1);
  });
});
