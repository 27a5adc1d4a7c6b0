import { describe, expect, it } from "vitest";
import { RedriverError, type ErrorCode } from "../../../../src/job/contracts/errors.ts";
import { createStatisticsClient } from "../../../../src/job/statistics/index-statistics-client.ts";
import { startHttp, startRaw } from "../../../support/message-service-server.ts";

const index = { name: "catalog", id: "3f1c/2d 8e", period: "3h" } as const;
const credentials = { user: "ops@example.com", password: "pä:ss" };
const now = Date.UTC(2026, 0, 1);
const good = { pending_index_count: 3, vector_count: [{ x: "2025-10-19 17:34:00.000 +0000 UTC", y: 9 }] };

const readerOf = (baseUrl: string, timeoutMs = 10_000) =>
  createStatisticsClient({
    egress: { url: undefined, except: [] },
    baseUrl,
    timeoutMs,
    clock: { now: () => now },
  });

async function failureOf(reading: Promise<unknown>): Promise<RedriverError> {
  const outcome = await reading.then(
    () => "read",
    (error: unknown) => error,
  );
  if (outcome instanceof RedriverError) return outcome;
  throw new Error(`expected a RedriverError, got ${String(outcome)}`);
}

/** How a reading fails that is answered so. */
async function failureAt(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const { baseUrl, requests } = await startHttp(() => ({ status, body, headers }));
  const failure = await failureOf(readerOf(baseUrl).read(index, credentials));
  expect(requests).toHaveLength(1);
  return failure;
}

describe("the statistics client", () => {
  it("asks for one index and one period with Basic authentication", async () => {
    const { baseUrl, requests } = await startHttp(() => ({ body: good }));
    const statistics = await readerOf(`${baseUrl}/`).read(index, credentials);
    expect(statistics.scalars).toEqual({ pending_index_count: 3 });
    expect(statistics.newest.vector_count?.value).toBe(9);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.method).toBe("GET");
    expect(requests[0]?.url.href).toBe("http://test/v2/search/3f1c%2F2d%208e/stats?period=3h");
    expect(requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("ops@example.com:pä:ss", "utf8").toString("base64")}`,
    );
  });

  it.each<[number, ErrorCode]>([
    [401, "unauthorised"],
    [403, "unauthorised"],
    [404, "source-misconfigured"],
    [400, "source-misconfigured"],
    [204, "source-misconfigured"],
    [408, "statistics-unavailable"],
    [429, "rate-limited"],
    [500, "statistics-unavailable"],
  ])("answered with %i fails as %s, after one request", async (status, code) => {
    const body = status === 204 ? "" : { code: "x", message: "told in confidence" };
    const failure = await failureAt(status, body);
    expect(failure.code).toBe(code);
    expect(failure.status).toBe(status);
    expect(failure.message).toContain("catalog");
    expect(failure.message).not.toContain("confidence");
    expect(failure.message).not.toContain(credentials.password);
  });

  it.each([
    ["seconds", "7", 7_000],
    ["zero", "0", 0],
    ["an HTTP date", new Date(now + 90_000).toUTCString(), 90_000],
    ["a date that has passed", new Date(now - 90_000).toUTCString(), 0],
    ["a time of ISO 8601", new Date(now + 90_000).toISOString(), 90_000],
    ["another form", "soon", 60_000],
    ["a negative number", "-5", 60_000],
    ["more than an hour", "99999999999999", 3_600_000],
  ])("passes on how long it is asked to wait, by %s", async (_, header, waitMs) => {
    expect((await failureAt(429, {}, { "retry-after": header })).retryAt).toBe(now + waitMs);
  });

  it("does not take the credentials along a redirect, and waits a minute if it is not told how long", async () => {
    const location = "/v2/search/elsewhere/stats?period=1h";
    expect((await failureAt(307, "", { location })).code).toBe("source-misconfigured");
    expect((await failureAt(429, {})).retryAt).toBe(now + 60_000);
  });

  it.each([
    ["not JSON", "<html>proxy</html>"],
    ["JSON of another shape", { ok: true }],
    ["longer than statistics can be", `{"pending_index_count":1,"pad":"${"p".repeat(4_000_000)}"}`],
  ])("answered with something that is %s fails as answer-unreadable", async (_, body) => {
    const failure = await failureAt(200, body);
    expect(failure.code).toBe("answer-unreadable");
    expect(`${failure.message} ${String(failure.cause)}`).not.toContain("proxy");
  });

  it("gives up after its timeout, also when only the body does not come", async () => {
    const { baseUrl } = await startRaw(({ socket, when }) => {
      when("\r\n\r\n", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"));
    });
    const failure = await failureOf(readerOf(baseUrl, 100).read(index, credentials));
    expect(failure.code).toBe("statistics-unavailable");
    expect(failure.message).toContain("100 ms");
  });

  it("fails as statistics-unavailable when the connection breaks", async () => {
    const { baseUrl } = await startRaw(({ socket, when }) => when("\r\n\r\n", () => socket.destroy()));
    const failure = await failureOf(readerOf(baseUrl).read(index, credentials));
    expect(failure.code).toBe("statistics-unavailable");
    expect(failure.cause).toBeInstanceOf(Error);
  });

  it("stops when it is told to, and says that it was stopped", async () => {
    const stop = new AbortController();
    const { baseUrl } = await startRaw(({ when }) => when("\r\n\r\n", () => stop.abort()));
    const reading = readerOf(baseUrl).read(index, credentials, stop.signal);
    expect((await failureOf(reading)).code).toBe("stopped");
  });

  it("refuses a user with a colon before it asks, because Basic authentication cannot carry one", async () => {
    const { baseUrl, requests } = await startHttp(() => ({ body: good }));
    const failure = await failureOf(readerOf(baseUrl).read(index, { user: "a:b", password: "p" }));
    expect(failure.code).toBe("unauthorised");
    expect(requests).toHaveLength(0);
  });
});
