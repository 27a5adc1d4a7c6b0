/**
 * The service's own retry (`serviceRetry`) and how much is under way (`watchDeliveries`): outside the interface, so any
 * answer may come.
 */
import { expect, test } from "vitest";
import type { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { connectTo, startHttp } from "../../../support/message-service-server.ts";

const id = "1795945505742-40" as DlqId;
const asked = async (status: number, body: unknown, mayBeSent = true) => {
  const server = await startHttp(() => ({ status, body: body as object }));
  const { service } = connectTo(server.baseUrl);
  const call = service.retry(id, () => mayBeSent, AbortSignal.timeout(10_000));
  const outcome: object = await call.catch(({ code, notSent }: RedriverError) => ({ code, notSent }));
  return { outcome, requests: server.requests.map(({ method, url }) => `${method} ${url.pathname}`) };
};

test("201 with a message id is an acceptance, by one POST of the id", async () => {
  const { outcome, requests } = await asked(201, { messageId: "msg_1" });
  expect(outcome).toEqual({ kind: "accepted", messageId: "msg_1", deduplicated: false });
  expect(requests).toEqual([`POST /v2/dlq/retry/${id}`]);
});

test.each([
  [201, { messageId: "msg_1", deduplicated: true }, { kind: "accepted", deduplicated: true }],
  [201, { error: "no" }, { kind: "refused" }],
  [201, "<html>", { kind: "in-doubt" }],
  [200, [{ messageId: "msg_1" }], { kind: "accepted" }],
  [400, { error: "no" }, { code: "request-refused" }],
  [401, { error: "no" }, { code: "unauthorised" }],
  [404, { error: "dead letter not found" }, { code: "source-misconfigured" }],
  [429, "", { code: "rate-limited" }],
  [408, "", { code: "service-timeout", notSent: false }],
  [500, "", { code: "service-unavailable", notSent: false }],
])("%i %j", async (status, body, expected) => {
  expect((await asked(status, body)).outcome).toMatchObject(expected);
});

test("a call that comes too late is not made", async () => {
  const { outcome, requests } = await asked(201, { messageId: "msg_1" }, false);
  expect(outcome).toEqual({ code: "stopped", notSent: true });
  expect(requests).toEqual([]);
});

const loadOf = async (status: number, body: unknown) => {
  const server = await startHttp(() => ({ status, body: body as object }));
  return connectTo(server.baseUrl).service.load(AbortSignal.timeout(10_000));
};

test.each([404, 405, 501])("a service that answers %i does not have it", async (status) => {
  expect(await loadOf(status, { error: "no such endpoint" })).toEqual({ isAbsent: true });
});

test.each([
  [
    { parallelismCount: 3, parallelismMax: 10 },
    { count: 3, max: 10 },
  ],
  [
    { count: "3", max: "10" },
    { count: 3, max: 10 },
  ],
])("%j is read", async (body, load) => {
  expect(await loadOf(200, body)).toEqual(load);
});

test.each([
  "",
  "<html>",
  "null",
  "[]",
  "{}",
  "[".repeat(10_000) + "]".repeat(10_000),
  '{"parallelismCount":1}',
  '{"parallelismCount":1,"parallelismMax":0}',
  '{"parallelismCount":-1,"parallelismMax":10}',
  '{"parallelismCount":1.5,"parallelismMax":10}',
  '{"parallelismCount":1e400,"parallelismMax":10}',
  '{"parallelismCount":9007199254740993,"parallelismMax":9007199254740995}',
  '{"parallelismCount":{"__proto__":1},"parallelismMax":10}',
  '{"parallelismCount":"\\ud800","parallelismMax":"10"}',
])("%j proves nothing", async (body) => {
  await expect(loadOf(200, body)).rejects.toMatchObject({ code: "answer-unreadable" });
});

test.each([
  [401, "unauthorised"],
  [429, "rate-limited"],
  [500, "service-unavailable"],
])("%i proves nothing", async (status, code) => {
  await expect(loadOf(status, { error: "x" })).rejects.toMatchObject({ code });
});
