/** The service's own retry (`serviceRetry`): outside the interface, so any answer may come. */
import { expect, test } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { connectTo, startHttp } from "../../../support/message-service-server.ts";

const id = "1795945505742-40" as DlqId;
const asked = async (status: number, body: unknown, mayBeSent = true) => {
  const server = await startHttp(() => ({ status, body: body as object }));
  const { service } = connectTo(server.baseUrl);
  const outcome = await service.retry(id, () => mayBeSent, AbortSignal.timeout(10_000));
  return { outcome, requests: server.requests.map(({ method, url }) => `${method} ${url.pathname}`) };
};

test("201 with a message id is an acceptance, by one POST of the id", async () => {
  const { outcome, requests } = await asked(201, { messageId: "msg_1" });
  const items = [{ kind: "accepted", messageId: "msg_1", deduplicated: false }];
  expect(outcome).toEqual({ kind: "answered", items });
  expect(requests).toEqual([`POST /v2/dlq/retry/${id}`]);
});

test.each([
  [201, { messageId: "msg_1", deduplicated: true }, { kind: "answered" }],
  [201, { error: "no" }, { kind: "answered", items: [{ kind: "refused" }] }],
  [201, "<html>", { kind: "answered", items: [{ kind: "in-doubt" }] }],
  [200, [{ messageId: "msg_1" }], { kind: "answered", items: [{ kind: "accepted" }] }],
  [400, { error: "no" }, { kind: "refused" }],
  [401, { error: "no" }, { kind: "misconfigured", status: 401 }],
  [404, { error: "dead letter not found" }, { kind: "not-found" }],
  [405, "", { kind: "absent" }],
  [501, "", { kind: "absent" }],
  [429, "", { kind: "not-sent", why: "rate-limited" }],
  [408, "", { kind: "in-doubt" }],
  [500, "", { kind: "in-doubt" }],
])("%i %j", async (status, body, expected) => {
  expect((await asked(status, body)).outcome).toMatchObject(expected);
});

test("a call that comes too late is not made", async () => {
  const { outcome, requests } = await asked(201, { messageId: "msg_1" }, false);
  expect(outcome).toMatchObject({ kind: "not-sent", why: "too-late" });
  expect(requests).toEqual([]);
});

test("without a connection nothing was sent", async () => {
  const outcome = await connectTo("http://127.0.0.1:9").service.retry(id, () => true);
  expect(outcome).toMatchObject({ kind: "not-sent", why: "connect" });
});
