/** The service's own retry (`serviceRetry`): outside the interface, so any answer may come. */
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
