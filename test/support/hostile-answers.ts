import * as fc from "fast-check";
import { bodies } from "./fuzzing.ts";
import type { HostileAnswer, HostileOperation } from "./hostile-service.ts";

/** Records of an account, and so items of its first batch. */
export const recordsPerRun = 2;

export const httpAnswer = (
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): HostileAnswer => ({ kind: "http", status, headers, body });
const oddHeaders = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { Date: "yesterday" },
  { Date: "Thu, 01 Jan 1970 00:00:00 GMT" },
  { "Content-Type": "text/html", "Content-Encoding": "gzip" },
  { "Retry-After": "1e999" },
  { "Retry-After": "-5", "RateLimit-Reset": "NaN", "Burst-RateLimit-Reset": "99999999999999999999" },
  { "X-Long": "x".repeat(12_000) },
  { Connection: "close" },
  { "Transfer-Encoding": "chunked", Trailer: "X-Late" },
  { Location: "http://127.0.0.1:1/" },
);
const oddStatuses = [
  200, 200, 200, 201, 202, 206, 302, 400, 401, 404, 409, 413, 418, 422, 429, 500, 503, 599,
];
const oddStatus = fc.constantFrom(...oddStatuses);

const notAccepted = [
  null,
  7,
  "msg_1",
  [],
  {},
  [[]],
  { messageId: 7 },
  { messageId: "" },
  { error: "no" },
  [null],
];
/** No acceptance: an honest service that took nothing cannot say that it did. */
const noAcceptance = fc
  .oneof(
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
    fc
      .array(fc.constantFrom<unknown>(...notAccepted, { error: {} }, { messageId: { toString: 1 } }), {
        maxLength: 6,
      })
      .map((value) => JSON.stringify(value)),
  )
  .filter((text) => !/"messageId":"[^"]/.test(text));

const oddBytes: fc.Arbitrary<string | Buffer> = fc.oneof(
  noAcceptance,
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...bodies),
  fc.constantFrom(
    '{"messages":[{"dlqId":null}]}',
    '{"messages":[null]}',
    '{"messages":{"0":{}},"cursor":7}',
    '{"messages":[],"cursor":{"a":1}}',
    '{"messages":[],"cursor":"again"}',
    '{"cursor":"again"}',
    '{"deleted":-1}',
    '{"deleted":1e400}',
    '{"deleted":"3"}',
    '{"deleted":999999}',
    '{"deleted":0}',
    '{"error":null}',
    '{"error":{"message":{"a":1}}}',
    "quota exceeded",
    "",
  ),
);
const raw = (text: string): HostileAnswer => ({ kind: "raw", bytes: Buffer.from(text) });
const ok = "HTTP/1.1 200 OK\r\n";
const oddAnswer: fc.Arbitrary<HostileAnswer> = fc.oneof(
  { weight: 10, arbitrary: fc.tuple(oddStatus, oddBytes, oddHeaders).map((parts) => httpAnswer(...parts)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<HostileAnswer>(
      { kind: "hang" },
      { kind: "reset" },
      raw("SSH-2.0-OpenSSH_9.2\r\n"),
      raw(`${ok}Content-Length: 100\r\n\r\n{"messages"`),
      raw(`${ok}Content-Length: -1\r\n\r\n[]`),
      raw("HTTP/1.1 999 ?\r\n\r\n"),
      raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n"),
      raw(`${ok}${"X: y\r\n".repeat(5_000)}\r\n`),
      raw(`${ok}Transfer-Encoding: chunked\r\n\r\nffffffff\r\nx`),
      raw(`${ok}Content-Length: 2\r\n\r\n[]${ok}Content-Length: 2\r\n\r\n{}`),
    ),
  },
);
/** As many positions as a batch has items, none of which is an acceptance. */
const noneTaken = fc
  .array(
    fc.constantFrom<unknown>(
      ...notAccepted,
      { messageId: ["msg_1"] },
      { messageid: "msg_1" },
      { result: { messageId: "" } },
    ),
    { minLength: recordsPerRun, maxLength: recordsPerRun },
  )
  .map((elements) => httpAnswer(200, JSON.stringify(elements)));
/** A batch that was taken may be answered by anything; one that was not, by anything but an acceptance. */
const oddTaken = fc.constantFrom(
  '[{"messageId":"msg_1"}]',
  '[{"messageId":"msg_1"},{"messageId":"msg_1"},{"messageId":"msg_1"}]',
  '[[{"messageId":"msg_1"},{"error":"x"}],null]',
  '[{"messageId":"msg_1","error":"x"},{"messageId":"msg_1","deduplicated":"yes"}]',
  '[{"messageId":"msg_1","deduplicated":true},{"messageId":"msg_1"}]',
);
/**
 * These prove that nothing was taken. A service that lies with them gets the message again, and nobody can
 * report that.
 */
const provingNothingTaken: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 412, 413, 415, 422, 429]);
const isProof = (answer: HostileAnswer): boolean =>
  answer.kind === "http" &&
  (provingNothingTaken.has(answer.status) || String(answer.body).includes("quota "));
const operations: readonly HostileOperation[] = ["list", "list", "batch", "batch", "delete"];
export const oddCall = fc.oneof(
  {
    weight: 2,
    arbitrary: noneTaken.map((answer) => ({ operation: "batch" as const, answer, takes: false })),
  },
  {
    weight: 5,
    arbitrary: fc
      .record({ operation: fc.constantFrom(...operations), answer: oddAnswer, takes: fc.boolean() })
      .map((call) => ({ ...call, takes: call.takes && !isProof(call.answer) })),
  },
  {
    weight: 1,
    arbitrary: oddTaken.map((body) => ({
      operation: "batch" as const,
      answer: httpAnswer(200, body),
      takes: true,
    })),
  },
);
