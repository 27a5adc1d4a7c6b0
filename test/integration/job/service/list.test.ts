import { expect, test } from "vitest";
import type { RedriverError } from "../../../../src/job/contracts/errors.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { connectTo, startHttp, startRaw, testToken } from "../../../support/message-service-server.ts";
import { waitFor } from "../../../support/wait-for.ts";

const query = { select: {}, count: 100 };
const page = { messages: [{ dlqId: "1-0", anything: { kept: true } }], cursor: "c2" };
const failure = (code: string, detail: object = {}) => expect.objectContaining({ code, ...detail });

test("a page is asked for with the token and the prefix of the address, and answered as listed", async () => {
  const server = await startHttp(() => ({ body: page }));
  const { service, answers } = connectTo(`${server.baseUrl}/prefix`);
  const select = { url: ["https://a.example/x,y", "https://b.example"], responseStatus: [500, 503] };
  expect(await service.list({ select, count: 10, cursor: "" })).toEqual({
    records: page.messages,
    cursor: "c2",
    bytes: JSON.stringify(page).length,
  });
  const [request] = server.requests;
  expect(request?.method).toBe("GET");
  expect(request?.url.pathname).toBe("/prefix/v2/dlq");
  expect(request?.url.searchParams.getAll("url")).toEqual(select.url);
  expect(request?.url.searchParams.getAll("responseStatus")).toEqual(["500", "503"]);
  expect(request?.url.searchParams.has("cursor")).toBe(false);
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${testToken}`,
    "accept-encoding": "identity",
  });
  expect(request?.body).toBe("");
  expect(answers).toEqual([{ operation: "list", outcome: "ok", durationMs: 0, status: 200 }]);
});

test.each([
  ["empty", () => ""],
  ["with a line break", () => "token\n"],
  [
    "that cannot be read",
    () => {
      throw new Error("ENOENT");
    },
  ],
])("a token %s sends nothing", async (_name, token) => {
  const server = await startHttp(() => ({}));
  const { service, answers } = connectTo(server.baseUrl, { token });
  await expect(service.list(query)).rejects.toEqual(failure("unauthorised"));
  expect(await service.publish(["{}"], () => true)).toMatchObject({ kind: "not-sent", why: "connect" });
  expect(server.connectionCount()).toBe(0);
  expect(answers.map(({ outcome }) => outcome)).toEqual(["unauthorised", "not-sent"]);
});

test.each([
  [400, "request-refused", "refused", "refused"],
  [401, "unauthorised", "unauthorised", "misconfigured"],
  [403, "unauthorised", "unauthorised", "misconfigured"],
  [404, "source-misconfigured", "misconfigured", "misconfigured"],
  [408, "service-timeout", "timeout", "in-doubt"],
  [412, "request-refused", "refused", "refused"],
  [413, "request-refused", "refused", "refused"],
  [418, "source-misconfigured", "misconfigured", "misconfigured"],
  [422, "request-refused", "refused", "refused"],
  [429, "rate-limited", "rate-limited", "not-sent"],
  [500, "service-unavailable", "unavailable", "in-doubt"],
  [503, "service-unavailable", "unavailable", "in-doubt"],
])("status %d to a list or a delete is %s, reported as %s, and a batch is %s", async (...row) => {
  const [status, code, outcome, kind] = row;
  const server = await startHttp(() => ({ status, body: { error: `no: ${testToken}` } }));
  const { service, answers } = connectTo(server.baseUrl);
  const { host } = new URL(server.baseUrl);
  const message = expect.stringContaining(`at ${host}: expected 2xx, got ${status}: no: [removed]`) as string;
  await expect(service.list(query)).rejects.toEqual(failure(code, { status, message }));
  await expect(service.remove(["1-0" as never])).rejects.toEqual(failure(code, { status, message }));
  expect(await service.publish(["{}"], () => true)).toMatchObject({
    kind,
    error: message,
    ...(kind === "refused" ? { status, bisectBy: status === 413 ? "bytes" : "count" } : {}),
  });
  expect(answers).toMatchObject([
    { operation: "list", outcome, status },
    { operation: "delete", outcome, status },
    { operation: "batch", outcome: kind === "in-doubt" ? "unknown" : outcome, status },
  ]);
  expect(server.requests).toHaveLength(3);
});

test.each([
  [401, "the token is the token's setting"],
  [404, "the address is the address's setting, redirects are not followed"],
])(
  "status %d of any call names the setting in force, no other, and nothing of the query",
  async (status, advice) => {
    const server = await startHttp(() => ({ status }));
    const settings = { address: "the address's setting", token: "the token's setting" };
    const { service } = connectTo(server.baseUrl, { settings });
    const { host } = new URL(server.baseUrl);
    const said = `at ${host}: expected 2xx, got ${status}; ${advice}`;
    const failed = service.list({ ...query, select: { label: ["customer-4711"] }, cursor: "secret" });
    await expect(failed).rejects.toThrow(new RegExp(`^list ${said}$`));
    await expect(service.remove(["1-0" as never])).rejects.toThrow(new RegExp(`^delete ${said}$`));
    expect(await service.publish(["{}"], () => true)).toMatchObject({
      kind: "misconfigured",
      error: `batch ${said}`,
    });
  },
);

test.each([
  ["is not read to its end", "transfer-encoding: chunked", `186a0\r\n${" ".repeat(100_000)}\r\n`],
  ["that says so is not read at all", "content-length: 1000000000", ""],
])("an answer above the limit %s", async (_name, header, body) => {
  const server = await startRaw(({ socket, when }) => {
    when("\r\n\r\n", () => socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n${body}`));
  });
  const { service } = connectTo(server.baseUrl, { maxAnswerBytes: 50_000 });
  await expect(service.list(query)).rejects.toEqual(failure("answer-too-large", { status: 200 }));
  expect(await server.connections[0]?.ended).toBe("reset");
});

test.each([
  ["that says its length", `content-length: 3028\r\n\r\n`, (text: string) => text],
  ["in pieces", `transfer-encoding: chunked\r\n\r\n`, inChunks],
])("a call may allow its answer less than others do: one %s", async (_name, header, send) => {
  const text = JSON.stringify({ messages: [], padding: "x".repeat(3_000) });
  const server = await startRaw(({ socket, when }) => {
    when("\r\n\r\n", () => socket.write(`HTTP/1.1 200 OK\r\n${header}${send(text)}`));
  });
  const { service } = connectTo(server.baseUrl);
  await expect(service.list({ ...query, maxBytes: 2_000 })).rejects.toEqual(failure("answer-too-large"));
  expect(await service.list({ ...query, maxBytes: 4_000 })).toEqual({ records: [], bytes: 3_028 });
});

function inChunks(text: string): string {
  const parts = [text.slice(0, 30), text.slice(30, 1_500), text.slice(1_500)];
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;
}

test("an answer that trickles ends at the deadline of the whole call", async () => {
  const clock = createManualClock();
  const server = await startRaw(({ socket, when }) => {
    const head = `HTTP/1.1 200 OK\r\ndate: ${new Date().toUTCString()}\r\ncontent-length: 1000\r\n\r\n`;
    when("\r\n\r\n", () => socket.write(`${head}{"messages":[`));
  });
  const { service, answers } = connectTo(server.baseUrl, { clock });
  const listing = service.list(query);
  await waitFor(() => expect(service.clockOffsetMs()).toBeDefined());
  for (let elapsed = 0; elapsed < 10_000; elapsed += 1_000) {
    server.connections[0]?.socket.write(" ");
    clock.advance(1_000);
  }
  await expect(listing).rejects.toEqual(failure("service-timeout", { status: 200 }));
  expect(await server.connections[0]?.ended).toBe("reset");
  expect(answers).toEqual([{ operation: "list", outcome: "timeout", durationMs: 10_000, status: 200 }]);
});

test("a stopped call ends at once, and says so", async () => {
  const stop = new AbortController();
  const server = await startRaw(({ when }) => when("\r\n\r\n", () => stop.abort()));
  const { service, answers } = connectTo(server.baseUrl);
  await expect(service.list(query, stop.signal)).rejects.toEqual(failure("stopped"));
  expect(await server.connections[0]?.ended).toBe("reset");
  await expect(service.list(query, stop.signal)).rejects.toEqual(failure("stopped"));
  expect(answers.map(({ outcome }) => outcome)).toEqual(["stopped", "stopped"]);
  expect(server.connections).toHaveLength(1);
});

test("answers of 100 MB are not asked for time and again: 16 at once, then one in 10 s", async () => {
  const server = await startHttp(() => ({ headers: { "content-length": "100000000" } }));
  const clock = createManualClock();
  const { service } = connectTo(server.baseUrl, { clock });
  const codes = async (times: number): Promise<readonly string[]> => {
    const met: string[] = [];
    for (let time = 0; time < times; time += 1) {
      met.push(
        await service.list(query).then(
          () => "listed",
          (error: unknown) => (error as RedriverError).code,
        ),
      );
    }
    return met;
  };
  expect(new Set(await codes(16))).toEqual(new Set(["answer-too-large"]));
  await expect(service.list(query)).rejects.toEqual(failure("service-resting", { retryAt: clock.now() + 1 }));
  clock.advance(1);
  expect(await codes(3)).toEqual(["answer-too-large", "service-resting", "service-resting"]);
  // Four minutes, a call every 200 ms.
  for (let call = 0; call < 1_200; call += 1) {
    clock.advance(200);
    await codes(1);
  }
  expect(server.requests.length).toBe(17 + 24);
});

test("what is small may be too large as often as it likes", async () => {
  const server = await startHttp(() => ({ body: { messages: [{ body: "x".repeat(4_000) }] } }));
  const { service } = connectTo(server.baseUrl, { maxAnswerBytes: 2_000 });
  for (let call = 0; call < 100; call += 1) {
    await expect(service.list(query)).rejects.toEqual(failure("answer-too-large"));
  }
  expect(server.requests.length).toBe(100);
});
