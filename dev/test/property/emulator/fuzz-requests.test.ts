import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmulator } from "../../../emulator/index.ts";
import {
  anyText,
  deadlineMs,
  expectSane,
  fuzz,
  headerValue,
  oddBody,
  oddText,
  watchProcess,
} from "../../../../test/support/fuzzing.ts";
import { startFuzzedEmulator, type FuzzedEmulator } from "../../../../test/support/fuzzed-emulator.ts";
import { sendRaw } from "../../../../test/support/raw-http.ts";

let fuzzed: FuzzedEmulator;
beforeAll(async () => {
  fuzzed = await startFuzzedEmulator();
});
afterAll(() => fuzzed[Symbol.asyncDispose]());
watchProcess();

/** What acts on every record, or on those that filters name, has its own test. */
const isBulk = (target: string): boolean => /^\/v2\/dlq(\/retry)?(\?|$)/.test(target);

const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PURGE", "SEARCH"];

describe("whatever is requested", () => {
  test("any method on any path answers, and deletes no record that it does not name", async () => {
    const segment = fc.oneof(
      fc.constantFrom("v2", "dlq", "retry", "batch", "publish", "topics", "endpoints", "queues", "messages"),
      fc.constantFrom(
        "search",
        "demo",
        "stats",
        "keys",
        "flowControl",
        "..",
        ".",
        "",
        "%2F",
        "__proto__",
        "pause",
      ),
      oddText,
    );
    const path = fc.oneof(
      fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join("/")}`),
      fc.tuple(segment, segment).map(([first, second]) => `/v2/${first}/${second}`),
      fc.constantFrom(
        "*",
        "/",
        "//",
        "http://other.example/v2/dlq?x=y",
        "/v2/dlq/0-0",
        "/v2/messages/msg_0",
        "/?",
      ),
    );
    const request = fc.tuple(
      fc.constantFrom(...methods),
      fc.tuple(path, fc.option(oddText)).map(([one, query]) => (query === null ? one : `${one}?${query}`)),
      fc.option(oddBody, { nil: undefined }),
    );
    await fuzz(request, 2_000, async ([method, target, body]) => {
      if (isBulk(target)) return;
      expectSane(await fuzzed.send(method, target, [], body), method === "HEAD");
    });
    expect(await fuzzed.ailments()).toEqual([]);
  });

  test("statistics answer any index, period and credentials", async () => {
    const { username, password } = fuzzed.emulator.statsCredentials;
    const right = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    const credentials = fc.oneof(
      { weight: 3, arbitrary: fc.constant(right) },
      headerValue,
      headerValue.map((value) => `Basic ${value}`),
      fc.uint8Array().map((bytes) => `Basic ${Buffer.from(bytes).toString("base64")}`),
    );
    const parameter = fc.tuple(
      fc.constantFrom("period", "Period", "__proto__", "x"),
      fc.oneof(oddText, fc.constantFrom("1h", "30d", "1H", "toString")),
    );
    const request = fc.tuple(
      credentials,
      fc.oneof(fc.constant("demo"), oddText),
      fc.array(parameter, { maxLength: 3 }),
    );
    await fuzz(request, 1_000, async ([value, id, parameters]) => {
      const query = parameters.map((pair) => pair.join("=")).join("&");
      const answer = await sendRaw(
        fuzzed.emulator.url,
        { method: "GET", target: `/v2/search/${id}/stats?${query}`, headers: [["Authorization", value]] },
        deadlineMs,
      );
      expectSane(answer);
      expect(value === right || answer.status >= 400).toBe(true);
    });
    expect(await fuzzed.ailments()).toEqual([]);
  });
});

describe("whatever the control API is told", () => {
  // Numbers JSON can carry and clocks cannot.
  const number = fc.oneof(
    fc.constantFrom(0, -1, 1.5, 8.64e15, 8.64e15 + 1, 1e308, -1e308, 2 ** 53, 5e-324),
    fc.integer(),
  );
  const value = fc.oneof(number, anyText(), fc.jsonValue(), fc.constantFrom("any", "after", null));
  const field = fc.constantFrom(
    "advanceMs",
    "token",
    "parallelism",
    "endpoints",
    "records",
    "url",
    "name",
    "dlqId",
    "labels",
    "header",

    "createdAt",
    "kind",
    "operation",
    "ms",
    "count",
    "probability",
    "status",
    "headers",
    "by",
    "resetInS",

    "pending_index_count",
    "monthly_cost",
    "storage_usage",
    "query_throughput",
    "__proto__",
    "constructor",
  );
  const plain = fc.dictionary(field, value, { maxKeys: 4, noNullPrototype: true });
  const body = fc.oneof(
    { weight: 1, arbitrary: oddBody },
    {
      weight: 4,
      arbitrary: fc
        .oneof(
          plain,
          fc.array(plain, { maxLength: 3 }).map((records) => ({ records })),
          fc.array(plain, { maxLength: 3 }).map((endpoints) => ({ endpoints })),
          plain.map((one) => ({ kind: "latency", operation: "list", ms: 1, ...one })),
          plain.map((one) => ({ kind: "status", operation: "list", status: 429, ...one })),
          number.map((advanceMs) => ({ advanceMs })),
        )
        .map((one) => Buffer.from(JSON.stringify(one))),
    },
  );
  const segment = fc.oneof(
    fc.constantFrom("faults", "release", "journal", "counts", "state", "idle", "reset", "clock", "token"),
    fc.constantFrom("url-groups", "queues", "dlq", "indexes", "demo", "__proto__", ""),
    oddText,
  );
  const target = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.option(oddText))
    .map(([segments, query]) => `/_control/${segments.join("/")}${query === null ? "" : `?limit=${query}`}`);

  test("it answers, and so does the message API afterwards", async () => {
    await using emulator = await startEmulator();
    const request = fc.tuple(fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD"), target, body);
    const control = (method: string, path: string, sent?: Buffer) =>
      sendRaw(
        emulator.controlUrl,
        { method, target: path, headers: [], ...(sent && { body: sent }) },
        deadlineMs,
      );
    let run = 0;
    await fuzz(request, 2_500, async ([method, path, sent]) => {
      expectSane(await control(method, path, method === "GET" ? undefined : sent), method === "HEAD");
      run += 1;
      if (run % 5 !== 0) return;
      // A fault would spoil on purpose what is looked at next.
      await control("DELETE", "/_control/faults");
      const authorization: [string, string] = ["Authorization", `Bearer ${emulator.token}`];
      for (const query of ["", "?label=x", "?toDate=1", "?count=1"]) {
        const request = { method: "GET", target: `/v2/dlq${query}`, headers: [authorization] };
        expectSane(await sendRaw(emulator.url, request, deadlineMs));
      }
      const { username, password } = emulator.statsCredentials;
      const basic = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
      for (const period of ["1h", "30d"]) {
        const stats = `/v2/search/demo/stats?period=${period}`;
        const request = { method: "GET", target: stats, headers: [["Authorization", basic] as const] };
        expectSane(await sendRaw(emulator.url, request, deadlineMs));
      }
    });
    await control("POST", "/_control/reset");
    expect((await control("GET", "/_control/state")).status).toBe(200);
  });
});
