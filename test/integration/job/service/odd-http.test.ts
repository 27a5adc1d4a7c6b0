/**
 * Answers that are odd as HTTP, to each kind of call: nobody else is called, and what is not one whole answer
 * proves nothing.
 */
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ClosableMessageService } from "../../../../src/job/service/message-service.ts";
import { connectTo, rawAnswer, startHttp, startRaw } from "../../../support/message-service-server.ts";

const query = { select: {}, count: 100 };
const dlqId = "1-0" as never;
const accepted = '[{"messageId":"msg_1"}]';
const listed = '{"messages":[]}';

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code);

/** What each kind of call makes of it, in one word. */
async function outcomesOf(service: ClosableMessageService): Promise<readonly string[]> {
  return [
    await service.list(query).then(() => "ok", codeOf),
    await service.remove([dlqId]).then(() => "ok", codeOf),
    (await service.publish(["{}"], () => true)).kind,
  ];
}

/**
 * A server that answers each call with these bytes, and then leaves the connection to the client or ends it. Without
 * any it resets it.
 */
const startCanned = (bytes: string, ends: boolean) =>
  startRaw(({ socket, when, text }) => {
    const act = (): unknown => {
      if (bytes === "") return socket.resetAndDestroy();
      return ends ? socket.end(bytes, "latin1") : socket.write(bytes, "latin1");
    };
    when("\r\n\r\n", () => (text().startsWith("POST ") ? when("}]", act) : act()));
  });

test.each([301, 302, 303, 307, 308])(
  "a redirect with %d is not followed: the other host is never connected to",
  async (status) => {
    const other = await startHttp(() => ({ body: accepted }));
    const headers = { location: `${other.baseUrl}/v2/dlq` };
    const { baseUrl } = await startHttp(() => ({ status, headers }));
    const { service } = connectTo(baseUrl);
    expect(await outcomesOf(service)).toEqual([
      "source-misconfigured",
      "source-misconfigured",
      "misconfigured",
    ]);
    expect(other.connectionCount()).toBe(0);
  },
);

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
])("a body in %s that nobody asked for is not unpacked, however much it would be", async (encoding, pack) => {
  const head = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-encoding: ${encoding}\r\n`;
  for (const body of [pack(accepted), pack(Buffer.alloc(5_000_000))]) {
    const bytes = `${head}content-length: ${body.byteLength}\r\n\r\n${body.toString("latin1")}`;
    const { baseUrl } = await startCanned(bytes, true);
    const { service } = connectTo(baseUrl, { maxAnswerBytes: 1_000_000 });
    expect(await outcomesOf(service)).toEqual(["answer-unreadable", "answer-unreadable", "in-doubt"]);
  }
});

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const withLength = (lengths: string, body: string): string => `HTTP/1.1 200 OK\r\n${lengths}\r\n\r\n${body}`;

test.each([
  ["a reset in its place", ""],
  ["something else than HTTP in its place", "-ERR wrong protocol\r\n"],
  ["headers that end in the middle of one", "HTTP/1.1 200 OK\r\ncontent-le"],
  ["chunks that end in the middle of one", `${chunked}17\r\n[{"mess`],
  ["chunks that end without the last, empty one", `${chunked}${chunk(accepted)}`],
  ["a chunk whose size is no number", `${chunked}zz\r\n${accepted}\r\n0\r\n\r\n`],
  ["a length that is too large", withLength("content-length: 24", accepted)],
  ["a length that is no number", withLength("content-length: x", accepted)],
  ["two lengths that differ", withLength("content-length: 23\r\ncontent-length: 22", accepted)],
  [
    "both a length and chunks",
    withLength("content-length: 3\r\ntransfer-encoding: chunked", chunk(accepted)),
  ],
  ["a change of protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n"],
  ["a status of 99", "HTTP/1.1 99 Odd\r\ncontent-length: 0\r\n\r\n"],
])("an answer with %s is none", async (_name, bytes) => {
  const { baseUrl, connections } = await startCanned(bytes, true);
  const { service } = connectTo(baseUrl);
  expect(await outcomesOf(service)).toEqual(["service-unavailable", "service-unavailable", "in-doubt"]);
  expect(connections).toHaveLength(3);
});

test("an answer with a length that is too small is cut to it", async () => {
  const { baseUrl } = await startCanned(withLength("content-length: 22", accepted), true);
  const { service } = connectTo(baseUrl);
  expect(await outcomesOf(service)).toEqual(["answer-unreadable", "answer-unreadable", "in-doubt"]);
});

describe("before the answer", () => {
  const hints = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n";

  test("what is only informational is passed over", async () => {
    const { baseUrl } = await startRaw(({ socket, when }) => {
      when("}]", () => socket.write(hints + rawAnswer(200, accepted)));
      when("GET ", () => socket.write(hints + rawAnswer(200, listed)));
    });
    const { service } = connectTo(baseUrl);
    expect(await service.list(query)).toMatchObject({ records: [] });
    expect(await service.publish(["{}"], () => true)).toMatchObject({ kind: "answered" });
  });

  test("a 100 that nobody asked for proves nothing", async () => {
    const { baseUrl } = await startCanned(`HTTP/1.1 100 Continue\r\n\r\n${rawAnswer(200, accepted)}`, false);
    const { service } = connectTo(baseUrl);
    expect(await outcomesOf(service)).toEqual(["service-unavailable", "service-unavailable", "in-doubt"]);
  });
});

const answerFor = (id: string): string => rawAnswer(200, `[{"messageId":"${id}"}]`);

test("a second answer behind the first is nobody's: it is not taken for that of the next call", async () => {
  const { baseUrl, connections } = await startRaw(({ socket, when }, index) => {
    when("}]", () =>
      socket.write(index === 0 ? answerFor("msg_1") + answerFor("msg_other") : answerFor("msg_2")),
    );
  });
  const { service } = connectTo(baseUrl);
  const ids: unknown[] = [];
  for (let call = 0; call < 2; call += 1) {
    const outcome = await service.publish(["{}"], () => true);
    ids.push(outcome.kind === "answered" ? outcome.items[0] : outcome.kind);
  }
  expect(ids).toMatchObject([{ messageId: "msg_1" }, { messageId: "msg_2" }]);
  expect(connections).toHaveLength(2);
});

test("an answer whose headers do not end is given up", async () => {
  const { baseUrl } = await startCanned(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(1_000_000)}`, false);
  const { service } = connectTo(baseUrl);
  expect(await outcomesOf(service)).toEqual(["service-unavailable", "service-unavailable", "in-doubt"]);
});
