/** How much is under way at the service (`watchDeliveries`): outside the interface, so any answer may come. */
import { expect, test } from "vitest";
import { connectTo, startHttp } from "../../../support/message-service-server.ts";

const asked = async (status: number, body: unknown) => {
  const server = await startHttp(() => ({ status, body: body as object }));
  return connectTo(server.baseUrl).service.load(AbortSignal.timeout(10_000));
};

test.each([404, 405, 501])("a service that answers %i does not have it", async (status) => {
  expect(await asked(status, { error: "no such endpoint" })).toEqual({ isAbsent: true });
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
  expect(await asked(200, body)).toEqual(load);
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
  await expect(asked(200, body)).rejects.toMatchObject({ code: "answer-unreadable" });
});

test.each([
  [401, "unauthorised"],
  [429, "rate-limited"],
  [500, "service-unavailable"],
])("%i proves nothing", async (status, code) => {
  await expect(asked(status, { error: "x" })).rejects.toMatchObject({ code });
});
