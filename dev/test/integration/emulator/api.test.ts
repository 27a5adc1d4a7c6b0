import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EmulatorStand, notText, type Reply } from "../../../../test/support/emulator-stand.ts";

let stand: EmulatorStand;
beforeEach(() => {
  stand = new EmulatorStand();
});
afterEach(() => stand.close());

const messageId = expect.stringMatching(/^msg_/) as string;
const hit = (one: object): object => ({ ...one, deduplicated: true });

describe("publish and enqueue", () => {
  test.each([
    ["as it is", (url: string) => url],
    ["percent-encoded", (url: string) => encodeURIComponent(url)],
  ])("the destination stands in the path %s, with its slashes and its query", async (_name, write) => {
    await stand.start();
    for (const path of ["/", "/a/b/", "/a?x=1&y=a%2Fb", "/%7Bx%7D"]) {
      expect(await stand.call("POST", `/v2/publish/${write(`${stand.target}${path}`)}`)).toEqual({
        status: 200,
        body: { messageId },
      });
    }
    expect((await stand.call("POST", `/v2/enqueue/q/${write(`${stand.target}/q?z=1`)}`)).status).toBe(200);
    await stand.emulator.idle();
    expect(stand.paths()).toEqual(["/", "/%7Bx%7D", "/a/b/", "/a?x=1&y=a%2Fb", "/q?z=1"].toSorted());
  });

  test("only Content-Type and forwarded headers reach the destination", async () => {
    await stand.start();
    await stand.call(
      "POST",
      `/v2/publish/${stand.target}/`,
      {
        "content-TYPE": "text/x",
        "upstash-forward-x-a": "1",
        "X-Other": "no",
        Accept: "no/no",
        "Upstash-Telemetry-Sdk": "x",
      },
      "body",
    );
    await stand.emulator.idle();
    const { headers, body } = stand.received[0]!;
    expect(body.toString()).toBe("body");
    expect(headers).toMatchObject({ "content-type": "text/x", "x-a": "1" });
    for (const name of ["x-other", "accept", "authorization", "upstash-telemetry-sdk"]) {
      expect(headers).not.toHaveProperty(name);
    }
  });

  test("a body that is not text arrives byte by byte and is listed as base64", async () => {
    await stand.start();
    stand.answer = () => ({ status: 500, body: notText });
    await stand.call("POST", `/v2/publish/${stand.target}/`, { "Upstash-Retries": "0" }, notText);
    await stand.emulator.idle();
    expect(stand.received[0]!.body.equals(notText)).toBe(true);
    expect(await stand.letters()).toMatchObject([
      {
        body: "",
        bodyBase64: notText.toString("base64"),
        responseBody: "",
        responseBodyBase64: notText.toString("base64"),
      },
    ]);
  });

  test("a URL Group is answered with an array, a deduplicated one with 202", async () => {
    await stand.start();
    stand.emulator.putUrlGroup("g", [{ url: `${stand.target}/a` }, { url: `${stand.target}/b` }]);
    const first = await stand.call("POST", "/v2/publish/g", { "Upstash-Deduplication-Id": "1" });
    expect(first).toEqual({
      status: 200,
      body: [
        { messageId, url: `${stand.target}/a` },
        { messageId, url: `${stand.target}/b` },
      ],
    });
    const again = await stand.call("POST", "/v2/enqueue/q/g", { "Upstash-Deduplication-Id": "1" });
    expect(again).toEqual({
      status: 202,
      body: first.body.map(hit),
    });
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(2);
  });

  test.each([
    ["POST", "/v2/publish/nowhere", {}, 400],
    ["POST", "/v2/publish/ftp://127.0.0.1/", {}, 400],
    ["POST", "/v2/publish/%E0%A4%A", {}, 400],
    ["POST", "/v2/publish/http://127.0.0.1:1/", { "Upstash-Deduplication-Id": "a:b" }, 400],
    ["POST", "/v2/publish/http://127.0.0.1:1/", { "Upstash-Retries": "9" }, 412],
    ["POST", "/v2/enqueue/q/http://127.0.0.1:1/", { "Upstash-Delay": "1s" }, 400],
    ["POST", "/v2/enqueue/q/http://127.0.0.1:1/", { "Upstash-Not-Before": "1" }, 400],
    ["POST", "/v2/enqueue/a%20b/http://127.0.0.1:1/", {}, 400],
    ["POST", "/v2/enqueue/q", {}, 404],
    ["POST", "/v2/publish/", {}, 404],
    ["GET", "/v2/publish/http://127.0.0.1:1/", {}, 405],
  ])("%s %s %j is refused with %i and publishes nothing", async (method, path, headers, status) => {
    await stand.start({ maxRetries: 5 });
    const reply = await stand.call(method, path, headers);
    expect(reply).toEqual({ status, body: { error: expect.any(String) } });
    expect(stand.emulator.journal.entries("accepted")).toEqual([]);
  });

  test("faults of a batch do not concern it, those of publish do", async () => {
    await stand.start();
    stand.emulator.faults.add({ kind: "status", operation: "batch", status: 503 });
    expect((await stand.call("POST", `/v2/publish/${stand.target}/`)).status).toBe(200);
    expect((await stand.call("POST", `/v2/enqueue/q/${stand.target}/`)).status).toBe(200);
    stand.emulator.faults.add({ kind: "status", operation: "publish", status: 503 });
    expect((await stand.call("POST", `/v2/publish/${stand.target}/`)).status).toBe(503);
    expect((await stand.call("POST", `/v2/enqueue/q/${stand.target}/`)).status).toBe(503);
  });

  test("a schedule's id is kept with the message", async () => {
    await stand.start();
    await stand.deadLetter({ "Upstash-Schedule-Id": "nightly" });
    expect((await stand.call("GET", "/v2/dlq?scheduleId=nightly")).body.messages).toMatchObject([
      { scheduleId: "nightly" },
    ]);
  });
});

describe("batch", () => {
  test("an empty batch is answered with an empty array", async () => {
    await stand.start();
    expect(await stand.batch([])).toEqual({ status: 200, body: [] });
  });

  test("an empty queue name means no queue", async () => {
    await stand.start();
    await stand.batch([{ destination: `${stand.target}/`, queue: "", headers: { "Upstash-Delay": "0s" } }]);
    expect(stand.emulator.journal.entries("accepted")).toMatchObject([{ queueName: undefined }]);
  });

  test("of two names that differ only in case the later wins", async () => {
    await stand.start();
    await stand.batch([
      {
        destination: `${stand.target}/`,
        headers: {
          "Content-Type": "text/a",
          "content-type": "text/b",
          "Upstash-Method": "PUT",
          "UPSTASH-METHOD": "PATCH",
          "Upstash-Forward-X-A": "1",
          "upstash-forward-x-a": "2",
        },
      },
    ]);
    await stand.emulator.idle();
    expect(stand.received).toMatchObject([
      { method: "PATCH", headers: { "content-type": "text/b", "x-a": "2" } },
    ]);
  });

  test("of two items with one deduplication id the first is sent, a group included", async () => {
    await stand.start();
    stand.emulator.putUrlGroup("g", [{ url: `${stand.target}/a` }, { url: `${stand.target}/b` }]);
    const headers = { "Upstash-Deduplication-Id": "same" };
    const { body } = await stand.batch([
      { destination: "g", headers },
      { destination: "g", headers },
      { destination: "g", headers: { "Upstash-Content-Based-Deduplication": "true" }, body: "x" },
      { destination: "g", headers: { "Upstash-Content-Based-Deduplication": "true" }, body: "x" },
      { destination: "g", headers: { "Upstash-Content-Based-Deduplication": "true" }, body: "y" },
    ]);
    expect(body[1]).toEqual(body[0].map(hit));
    expect(body[3]).toEqual(body[2].map(hit));
    expect(body[4].some((one: object) => "deduplicated" in one)).toBe(false);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(6);
  });
});

describe("messages, queues and keys", () => {
  test("ids to cancel may come as a JSON body, as older clients send them", async () => {
    await stand.start();
    const { body } = await stand.batch(
      ["/1", "/2"].map((path) => ({
        destination: `${stand.target}${path}`,
        headers: { "Upstash-Delay": "1h" },
      })),
    );
    const messageIds = [body[0].messageId, "msg_unknown"];
    expect(await stand.call("DELETE", "/v2/messages", {}, JSON.stringify({ messageIds }))).toEqual({
      status: 200,
      body: { cancelled: 1 },
    });
    expect(stand.emulator.pending).toBe(1);
  });

  test.each([
    ["?colour=red", undefined],
    ["?fromDate=yesterday", undefined],
    ["?toDate=&toDate=1", undefined],
    ["?fromDate=1&fromDate=", undefined],
    ["?count=1&count=2", undefined],
    ["?count=0", undefined],
    ["?count=501", undefined],
    ["?count=all", undefined],
    ["?messageIds=msg_1", '{"messageIds":["msg_2"]}'],
    ["?messageIds=", '{"messageIds":["msg_2"]}'],
    ["", '{"messageIds":["msg_1"],"messageIds":["msg_2"]}'],
    ["", '{"messageIds":[]}'],
    ["", '{"messageIds":"msg_1"}'],
    ["", '{"ids":["msg_1"]}'],
    ["", "["],
  ])("a bulk cancel with %j and body %j is refused and cancels nothing", async (query, body) => {
    await stand.start();
    await stand.batch([{ destination: stand.target, headers: { "Upstash-Delay": "1h" } }]);
    expect((await stand.call("DELETE", `/v2/messages${query}`, {}, body)).status).toBe(400);
    expect(stand.emulator.pending).toBe(1);
  });

  test("a bulk cancel ends at its count, beginning with the oldest; ids are not counted", async () => {
    await stand.start();
    const { body: published } = await stand.batch(
      ["a", "b", "a", "a", "b"].map((label) => ({
        destination: stand.target,
        headers: { "Upstash-Delay": "1h", "Upstash-Label": label },
      })),
    );
    const ids: string[] = published.map((one: { messageId: string }) => one.messageId);
    const cancel = (query: string): Promise<Reply> => stand.call("DELETE", `/v2/messages${query}`);
    const cancelled = (): unknown[] =>
      stand.emulator.journal.entries("cancelled").map((entry) => ids.indexOf(entry.messageId));

    expect((await cancel("?label=a&count=2")).body).toEqual({ cancelled: 2 });
    expect(cancelled()).toEqual([0, 2]);
    expect((await cancel("?count=1")).body).toEqual({ cancelled: 1 });
    expect(cancelled()).toEqual([0, 2, 1]);
    expect((await cancel(`?messageIds=${ids[3]}&messageIds=${ids[4]}&count=1`)).body).toEqual({
      cancelled: 2,
    });
    expect(stand.emulator.pending).toBe(0);
  });

  test("a pending message is shown redacted", async () => {
    await stand.start();
    const { body } = await stand.call(
      "POST",
      `/v2/publish/${stand.target}/`,
      { "Upstash-Delay": "1h", "Upstash-Redact-Fields": "body,headers", "Upstash-Forward-X-A": "1" },
      "secret",
    );
    const shown = await stand.call("GET", `/v2/messages/${body.messageId}`);
    expect(shown.body).toMatchObject({
      body: expect.stringMatching(/^REDACTED:/),
      header: { "X-A": [expect.stringMatching(/^REDACTED:/)] },
    });
  });

  test("a queue that is changed keeps what is not given; one that is removed delivers what it has", async () => {
    await stand.start();
    const put = (body: object): Promise<Reply> => stand.call("POST", "/v2/queues", {}, JSON.stringify(body));
    await put({ queueName: "q", parallelism: 3, paused: true });
    await put({ queueName: "q" });
    expect((await stand.call("GET", "/v2/queues/q")).body).toMatchObject({ parallelism: 3, paused: true });
    await stand.call("POST", `/v2/enqueue/q/${stand.target}/`);
    expect(stand.received).toEqual([]);
    expect((await stand.call("DELETE", "/v2/queues/q")).status).toBe(200);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);
    expect((await put({ queueName: "a b" })).status).toBe(400);
    expect((await put({ queueName: "q", parallelism: 0 })).status).toBe(400);
  });

  test("the signing keys are told to who has the token", async () => {
    await stand.start();
    expect(await stand.call("GET", "/v2/keys")).toEqual({ status: 200, body: stand.emulator.signingKeys });
    expect((await fetch(`${stand.emulator.url}/v2/keys`)).status).toBe(401);
  });
});
