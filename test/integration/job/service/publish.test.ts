import { expect, test } from "vitest";
import type { BatchOutcome } from "../../../../src/job/contracts/service.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import {
  connectTo,
  rawAnswer,
  startHttp,
  startRaw,
  testToken,
  type Canned,
} from "../../../support/message-service-server.ts";

const items = ['{"destination":"https://a.example","body":"ü"}', '{"destination":"https://b.example"}'];
const allowed = (): boolean => true;
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const ok = [{ messageId: "msg_1" }, { messageId: "msg_2" }];

async function publishTo(
  canned: Canned,
): Promise<{ outcome: BatchOutcome; reported: unknown; requests: number }> {
  const server = await startHttp(() => canned);
  const { service, answers } = connectTo(server.baseUrl);
  const outcome = await service.publish(items, allowed);
  expect(answers).toHaveLength(1);
  return { outcome, reported: answers[0], requests: server.requests.length };
}

test("a batch is one POST of a JSON array with its own length", async () => {
  const server = await startHttp(() => ({ body: ok }));
  const { service, answers } = connectTo(`${server.baseUrl}/prefix/`);
  const outcome = await service.publish(items, allowed);
  expect(outcome).toEqual({
    kind: "answered",
    items: [
      { kind: "accepted", messageId: "msg_1", deduplicated: false },
      { kind: "accepted", messageId: "msg_2", deduplicated: false },
    ],
  });
  expect(server.requests).toHaveLength(1);
  const [request] = server.requests;
  expect([request?.method, request?.url.pathname, request?.url.search]).toEqual([
    "POST",
    "/prefix/v2/batch",
    "",
  ]);
  expect(request?.body).toBe(`[${items.join(",")}]`);
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${testToken}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(`[${items.join(",")}]`)),
  });
  expect(request?.headers).not.toHaveProperty("transfer-encoding");
  expect(request?.headers).not.toHaveProperty("expect");
  expect(answers).toEqual([{ operation: "batch", outcome: "ok", durationMs: 0, status: 200 }]);
});

test("the last byte of a batch does not wait for the acknowledgement of those before it", async () => {
  const gapsMs: number[] = [];
  const server = await startRaw(({ socket }) => {
    let firstAt: number | undefined;
    socket.on("data", (chunk) => {
      firstAt ??= performance.now();
      if (!chunk.toString("latin1").endsWith("]")) return;
      gapsMs.push(performance.now() - firstAt);
      firstAt = undefined;
      socket.write(rawAnswer(200, JSON.stringify(ok)));
    });
  });
  const { service } = connectTo(server.baseUrl);
  for (let post = 0; post < 30; post += 1) await service.publish(items, allowed);
  // With Nagle's algorithm most of them take the 40 ms of a delayed acknowledgement.
  expect(gapsMs).toHaveLength(30);
  expect(median(gapsMs)).toBeLessThan(20);
  expect(server.connections).toHaveLength(1);
});

test("a batch of many megabytes arrives whole", async () => {
  const large = Array.from({ length: 100 }, (_, index) =>
    JSON.stringify({ n: index, body: "é".repeat(50_000) }),
  );
  const server = await startHttp(() => ({ body: large.map((_, index) => ({ messageId: `msg_${index}` })) }));
  const { service } = connectTo(server.baseUrl);
  expect((await service.publish(large, allowed)).kind).toBe("answered");
  expect(server.requests[0]?.body).toBe(`[${large.join(",")}]`);
});

test.each([200, 201, 202])("with status %d each position speaks for its own item", async (status) => {
  const { outcome } = await publishTo({
    status,
    body: [{ messageId: "msg_1", deduplicated: true }, { error: "no queue" }],
  });
  expect(outcome).toEqual({
    kind: "answered",
    items: [
      { kind: "accepted", messageId: "msg_1", deduplicated: true },
      { kind: "refused", error: "no queue" },
    ],
  });
});

test.each([
  ["nothing", ""],
  ["something that is not JSON", "<html>ok</html>"],
  ["cut JSON", '[{"messageId":"msg_1"},'],
  ["an object", { messageId: "msg_1" }],
  ["null", "null"],
  ["a shorter array", ok.slice(0, 1)],
  ["a longer array", [...ok, { messageId: "msg_3" }]],
  ["an empty array", []],
])("a 2xx with %s proves nothing", async (_name, body) => {
  const { outcome, reported } = await publishTo({ status: 200, body });
  expect(outcome.kind).toBe("in-doubt");
  expect(reported).toMatchObject({ outcome: "unknown", status: 200 });
});

test("a 2xx with no content proves nothing", async () => {
  expect((await publishTo({ status: 204 })).outcome.kind).toBe("in-doubt");
});

test.each([
  [400, "count"],
  [412, "count"],
  [413, "bytes"],
  [422, "count"],
])("status %d refuses the whole call, to be bisected by %s", async (status, bisectBy) => {
  const { outcome, reported, requests } = await publishTo({
    status,
    body: { error: `bad item ${testToken}` },
  });
  expect(outcome).toEqual({
    kind: "refused",
    status,
    bisectBy,
    error: expect.stringMatching(
      new RegExp(`^batch at 127\\.0\\.0\\.1:\\d+: expected 2xx, got ${status}: bad item \\[removed\\]$`),
    ),
  });
  expect(reported).toMatchObject({ outcome: "refused", status });
  expect(requests).toBe(1);
});

test.each([
  [500, { error: "quota maxMessageSize exceeded" }],
  [503, "quota maxRetries exceeded"],
])("status %d with a quota is permanent", async (status, body) => {
  const { outcome } = await publishTo({ status, body });
  expect(outcome).toMatchObject({ kind: "refused", status, bisectBy: "count" });
});

test.each([
  [408, {}],
  [500, { error: "internal" }],
  [500, { error: "over quota " }],
  [502, "<html>"],
  [503, ""],
  [504, { error: "upstream timed out" }],
])("status %d with %j proves nothing", async (status, body) => {
  const { outcome, reported, requests } = await publishTo({ status, body });
  expect(outcome.kind).toBe("in-doubt");
  expect(reported).toMatchObject({ outcome: "unknown", status });
  expect(requests).toBe(1);
});

test.each([
  [301, "misconfigured"],
  [302, "misconfigured"],
  [307, "misconfigured"],
  [308, "misconfigured"],
  [401, "unauthorised"],
  [403, "unauthorised"],
  [404, "misconfigured"],
  [405, "misconfigured"],
  [409, "misconfigured"],
  [415, "misconfigured"],
  [426, "misconfigured"],
  [451, "misconfigured"],
])("status %d means that the source is misconfigured", async (status, reportedOutcome) => {
  const { outcome, reported, requests } = await publishTo({
    status,
    headers: { location: "/v2/batch" },
    body: { error: "x" },
  });
  expect(outcome).toMatchObject({ kind: "misconfigured", status });
  expect(reported).toMatchObject({ outcome: reportedOutcome, status });
  expect(requests).toBe(1);
});

test("a 429 was not sent, and says when to try again", async () => {
  const clock = createManualClock();
  const server = await startHttp(() => ({
    status: 429,
    headers: { "retry-after": "3" },
    body: { error: "slow down" },
  }));
  const { service, answers } = connectTo(server.baseUrl, { clock });
  expect(await service.publish(items, allowed)).toMatchObject({
    kind: "not-sent",
    why: "rate-limited",
    retryAt: clock.now() + 3_000,
  });
  expect(answers).toMatchObject([{ outcome: "rate-limited", status: 429 }]);
});

test("a refusal counts even when its body is cut", async () => {
  const server = await startRaw(({ socket, when }) => {
    when("}]", () => socket.end("HTTP/1.1 400 Bad\r\ncontent-length: 100\r\n\r\n{"));
  });
  const { service } = connectTo(server.baseUrl);
  expect(await service.publish(items, allowed)).toMatchObject({ kind: "refused", status: 400 });
});

test("a 5xx whose body is cut proves nothing", async () => {
  const server = await startRaw(({ socket, when }) => {
    when("}]", () => socket.end("HTTP/1.1 500 Bad\r\ncontent-length: 100\r\n\r\nquota max"));
  });
  const { service } = connectTo(server.baseUrl);
  expect((await service.publish(items, allowed)).kind).toBe("in-doubt");
});

test("a 2xx whose body is cut, or too large, proves nothing", async () => {
  const whole = JSON.stringify(ok);
  const cut = await startRaw(({ socket, when }) => {
    when("}]", () => socket.end(rawAnswer(200, whole, { "content-length": String(whole.length + 1) })));
  });
  expect((await connectTo(cut.baseUrl).service.publish(items, allowed)).kind).toBe("in-doubt");
  const large = await startHttp(() => ({ body: ok }));
  const { service } = connectTo(large.baseUrl, { maxAnswerBytes: 10 });
  expect((await service.publish(items, allowed)).kind).toBe("in-doubt");
});

test("an answer that comes before the batch was read counts, and its connection is not used again", async () => {
  const large = [JSON.stringify({ body: "x".repeat(20_000_000) })];
  const server = await startRaw(({ socket, when }) => {
    when("\r\n\r\n", () => {
      socket.pause();
      socket.write(rawAnswer(413, '{"error":"too large"}'));
    });
  });
  const { service } = connectTo(server.baseUrl);
  expect(await service.publish(large, allowed)).toMatchObject({
    kind: "refused",
    status: 413,
    bisectBy: "bytes",
  });
  expect((await service.publish(large, allowed)).kind).toBe("refused");
  expect(server.connections).toHaveLength(2);
});

test.each([[[]], [Array.from({ length: 101 }, () => "{}")]])(
  "a batch of none, or of more than 100, is refused",
  async (encoded) => {
    const server = await startHttp(() => ({ body: [] }));
    const { service } = connectTo(server.baseUrl);
    await expect(service.publish(encoded, allowed)).rejects.toMatchObject({ code: "invariant-broken" });
    expect(server.connectionCount()).toBe(0);
  },
);

test("an observer that fails does not cost the outcome", async () => {
  const server = await startHttp(() => ({ body: ok }));
  const { createMessageService } = await import("../../../../src/job/service/message-service.ts");
  const service = createMessageService({
    baseUrl: server.baseUrl,
    token: () => testToken,
    settings: { address: "service.url", token: "service.token" },
    maxAnswerBytes: 1_048_576,
    timeoutsMs: { list: 1_000, batch: 1_000, delete: 1_000 },
    connectTimeoutMs: 1_000,
    clock: createManualClock(),
    onAnswer: () => {
      throw new Error("observer");
    },
  });
  expect((await service.publish(items, allowed)).kind).toBe("answered");
  await service.close();
});
