import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { RedriverError, type ErrorCode } from "../../../../src/job/contracts/errors.ts";
import type { StatisticsReader } from "../../../../src/job/contracts/index-statistics.ts";
import { createStatisticsClient } from "../../../../src/job/statistics/index-statistics-client.ts";

const index = { name: "catalog", id: "3f1c/2d 8e", period: "3h" } as const;
const credentials = { user: "ops@example.com", password: "pä:ss" };
const now = Date.UTC(2026, 0, 1);
const good = { pending_index_count: 3, vector_count: [{ x: "2025-10-19 17:34:00.000 +0000 UTC", y: 9 }] };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server of the test's own, and a client that asks it. */
async function against(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: { readonly timeoutMs?: number; readonly path?: string } = {},
): Promise<{ readonly reader: StatisticsReader; readonly requests: readonly IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  const reader = createStatisticsClient({
    egress: { url: undefined, except: [] },
    baseUrl: `http://127.0.0.1:${port}${options.path ?? ""}`,
    timeoutMs: options.timeoutMs ?? 10_000,
    clock: { now: () => now },
  });
  return { reader, requests };
}

function answering(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

async function failureOf(reading: Promise<unknown>): Promise<RedriverError> {
  const outcome = await reading.then(
    () => "read",
    (error: unknown) => error,
  );
  if (outcome instanceof RedriverError) return outcome;
  throw new Error(`expected a RedriverError, got ${String(outcome)}`);
}

describe("the statistics client", () => {
  it("asks for one index and one period with Basic authentication", async () => {
    const { reader, requests } = await against(answering(200, good), { path: "/" });
    const statistics = await reader.read(index, credentials);
    expect(statistics.scalars).toEqual({ pending_index_count: 3 });
    expect(statistics.newest.vector_count?.value).toBe(9);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.method).toBe("GET");
    expect(requests[0]?.url).toBe("/v2/search/3f1c%2F2d%208e/stats?period=3h");
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
    [503, "statistics-unavailable"],
  ])("answered with %i fails as %s, after one request", async (status, code) => {
    const body = status === 204 ? "" : { code: "x", message: "told in confidence" };
    const { reader, requests } = await against(answering(status, body));
    const failure = await failureOf(reader.read(index, credentials));
    expect(failure.code).toBe(code);
    expect(failure.status).toBe(status);
    expect(failure.message).toContain("catalog");
    expect(failure.message).not.toContain("confidence");
    expect(failure.message).not.toContain(credentials.password);
    expect(requests).toHaveLength(1);
  });

  it("passes on how long it is asked to wait", async () => {
    const { reader } = await against(answering(429, {}, { "retry-after": "17" }));
    expect((await failureOf(reader.read(index, credentials))).retryAt).toBe(now + 17_000);
  });

  it("does not take the credentials along a redirect", async () => {
    const { reader, requests } = await against(
      answering(307, "", { location: "/v2/search/elsewhere/stats?period=1h" }),
    );
    expect((await failureOf(reader.read(index, credentials))).code).toBe("source-misconfigured");
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["not JSON", "<html>proxy</html>"],
    ["JSON of another shape", { ok: true }],
    ["longer than statistics can be", `{"pending_index_count":1,"pad":"${"p".repeat(4_000_000)}"}`],
  ])("answered with something that is %s fails as answer-unreadable", async (_, body) => {
    const { reader } = await against(answering(200, body));
    const failure = await failureOf(reader.read(index, credentials));
    expect(failure.code).toBe("answer-unreadable");
    expect(`${failure.message} ${String(failure.cause)}`).not.toContain("proxy");
  });

  it("gives up after its timeout, also when only the body does not come", async () => {
    const { reader } = await against(
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("{");
      },
      { timeoutMs: 100 },
    );
    const failure = await failureOf(reader.read(index, credentials));
    expect(failure.code).toBe("statistics-unavailable");
    expect(failure.message).toContain("100 ms");
  });

  it("fails as statistics-unavailable when the connection breaks", async () => {
    const { reader } = await against((_, response) => response.destroy());
    const failure = await failureOf(reader.read(index, credentials));
    expect(failure.code).toBe("statistics-unavailable");
    expect(failure.cause).toBeInstanceOf(Error);
  });

  it("stops when it is told to, and says that it was stopped", async () => {
    const stop = new AbortController();
    const { reader } = await against(() => stop.abort());
    expect((await failureOf(reader.read(index, credentials, stop.signal))).code).toBe("stopped");
  });

  it("refuses a user with a colon before it asks, because Basic authentication cannot carry one", async () => {
    const { reader, requests } = await against(answering(200, good));
    const failure = await failureOf(reader.read(index, { user: "a:b", password: "p" }));
    expect(failure.code).toBe("unauthorised");
    expect(requests).toHaveLength(0);
  });
});
