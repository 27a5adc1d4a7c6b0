import { expect, test } from "vitest";
import type { BatchOutcome } from "../../../../src/job/contracts/service.ts";
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
  ["nothing", 200, ""],
  ["no content", 204, ""],
  ["something that is not JSON", 200, "<html>ok</html>"],
  ["cut JSON", 200, '[{"messageId":"msg_1"},'],
  ["an object", 200, { messageId: "msg_1" }],
  ["null", 200, "null"],
  ["a shorter array", 200, ok.slice(0, 1)],
  ["a longer array", 200, [...ok, { messageId: "msg_3" }]],
  ["an empty array", 200, []],
  ["a quota in other words", 500, { error: "over quota " }],
])("an answer with %s proves nothing", async (_name, status, body) => {
  const { outcome, reported } = await publishTo({ status, body });
  expect(outcome.kind).toBe("in-doubt");
  expect(reported).toMatchObject({ outcome: "unknown", status });
});

test.each([
  [500, { error: "quota maxMessageSize exceeded" }],
  [503, "quota maxRetries exceeded"],
])("status %d with a quota is permanent", async (status, body) => {
  const { outcome } = await publishTo({ status, body });
  expect(outcome).toMatchObject({ kind: "refused", status, bisectBy: "count" });
});

test.each([
  ["400 Bad", "{", { kind: "refused", status: 400 }],
  ["500 Bad", "quota max", { kind: "in-doubt" }],
])("of a %s whose body is cut after %s its status counts", async (status, body, expected) => {
  const server = await startRaw(({ socket, when }) => {
    when("}]", () => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 100\r\n\r\n${body}`));
  });
  const { service } = connectTo(server.baseUrl);
  expect(await service.publish(items, allowed)).toMatchObject(expected);
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
  const { service } = connectTo(server.baseUrl, { onAnswer: () => expect.unreachable("observed") });
  expect((await service.publish(items, allowed)).kind).toBe("answered");
});
