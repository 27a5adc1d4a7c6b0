import { connect } from "node:net";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectSane, fuzz, watchProcess } from "../../../../test/support/fuzzing.ts";
import { startFuzzedEmulator, type FuzzedEmulator } from "../../../../test/support/fuzzed-emulator.ts";
import { sendBytes, type RawEnd } from "../../../../test/support/raw-http.ts";

/**
 * What comes over the socket is no proper HTTP: it gets an answer or is hung up on, and everybody else is
 * served.
 */
let fuzzed: FuzzedEmulator;
beforeAll(async () => {
  fuzzed = await startFuzzedEmulator();
});
afterAll(() => fuzzed[Symbol.asyncDispose]());
watchProcess();

/**
 * Bytes of a request in which `\n` stands for a line break of HTTP, and `TOKEN` for the header with the
 * token.
 */
const bytes = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll("\n", "\r\n").replaceAll("TOKEN", `Authorization: Bearer ${fuzzed.emulator.token}`),
    "latin1",
  );

const exchange = (text: string, after: "wait" | "end" | "destroy" = "end", waitMs = 3_000): Promise<RawEnd> =>
  sendBytes(fuzzed.emulator.url, [bytes(text)], waitMs, after);

/** Hanging up is 0. */
const isRefusal = (status: number): boolean => status === 0 || (status >= 400 && status < 500);

describe("whatever comes over the socket", () => {
  test.each([
    ["a request line and no more", "DELETE /v2/dlq HTTP/1.1\n"],
    ["half a header", "DELETE /v2/dlq HTTP/1.1\nHost: x\nAuthoriz"],
    ["half a body", "POST /v2/batch HTTP/1.1\nHost: x\nTOKEN\nContent-Length: 100\n\n[{"],
    ["half a chunk", "POST /v2/batch HTTP/1.1\nHost: x\nTOKEN\nTransfer-Encoding: chunked\n\nff\n[{"],
    ["a delete whose body does not come", "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nContent-Length: 5\n\n"],
    [
      "a delete that waits to be told to go on",
      "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nExpect: x\nContent-Length: 5\n\n",
    ],
  ])("%s, then the end: nothing happens, and the connection ends", async (_, text) => {
    for (const after of ["end", "destroy"] as const) {
      const { end, status } = await exchange(text, after);
      expect(end).not.toBe("hung");
      expect(isRefusal(status)).toBe(true);
    }
    expect(await fuzzed.ailments()).toEqual([]);
  });

  test.each([
    ["no HTTP", "hello\n\n"],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["an unknown version", "GET /v2/dlq HTTP/9.9\nHost: x\nTOKEN\n\n"],
    ["a header without a colon", "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nBroken\n\n"],
    ["a header with NUL", "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nX: a\0b\n\n"],
    ["a header folded over two lines", "DELETE /v2/dlq HTTP/1.1\nHost: x\nX: a\n b: c\nTOKEN\nY\n\n"],
    [
      "a chunk size that is no number",
      "POST /v2/batch HTTP/1.1\nHost: x\nTOKEN\nTransfer-Encoding: chunked\n\nzz\n[]\n0\n\n",
    ],
    [
      "a chunk longer than said",
      "POST /v2/batch HTTP/1.1\nHost: x\nTOKEN\nTransfer-Encoding: chunked\n\n1\n[]\n0\n\n",
    ],
    ["two lengths", "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nContent-Length: 0\nContent-Length: 5\n\n"],
    [
      "a length and chunks",
      "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nContent-Length: 9\nTransfer-Encoding: chunked\n\n0\n\n",
    ],
    ["a negative length", "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nContent-Length: -1\n\n"],
    ["a blank in the target", "DELETE /v2/dlq ?label=x HTTP/1.1\nHost: x\nTOKEN\n\n"],
    ["a header of 1 MB", `DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nX: ${"x".repeat(1_000_000)}\n\n`],
    ["100,000 headers", `DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\n${"X: y\n".repeat(100_000)}\n`],
    ["a target of 1 MB", `DELETE /v2/dlq?label=${"x".repeat(1_000_000)} HTTP/1.1\nHost: x\nTOKEN\n\n`],
  ])("%s is refused, deletes nothing, and the connection ends", async (_, text) => {
    const { end, status } = await exchange(text, "wait");
    expect(end).not.toBe("hung");
    expect(isRefusal(status)).toBe(true);
    expect(await fuzzed.ailments()).toEqual([]);
  });

  test.each([
    ["no host", "DELETE /v2/dlq HTTP/1.1\nTOKEN\n\n", 400],
    ["an expectation that nobody can meet", "DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\nExpect: x\n\n", 417],
  ])("%s is refused with the reason, and deletes nothing", async (_, text, refused) => {
    const { end, status, body } = await exchange(text, "wait");
    expect([end, status]).toEqual(["answered", refused]);
    expect(JSON.parse(body)).toEqual({ error: expect.any(String) });
    expect(await fuzzed.ailments()).toEqual([]);
  });

  test("HTTP/1.0 needs no host", async () => {
    const { status } = await exchange("GET /v2/dlq?count=1 HTTP/1.0\nTOKEN\n\n", "wait");
    expect(status).toBe(200);
  });

  test("requests sent at once on one connection are answered in order", async () => {
    const targets = Array.from({ length: 50 }, (_, index) => `/v2/dlq/${index}-0`);
    const text = targets.map((target, index) => {
      const last = index === targets.length - 1 ? "Connection: close\n" : "";
      return `GET ${index % 2 === 0 ? target : "/v2/dlq?count=1"} HTTP/1.1\nHost: x\nTOKEN\n${last}\n`;
    });
    const { end, text: answers } = await exchange(text.join(""), "wait", 10_000);
    expect(end).toBe("answered");
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses).toEqual(targets.map((_, index) => (index % 2 === 0 ? "404" : "200")));
  });

  test("a second request behind a refused one does not come to pass", async () => {
    const refused = "POST /v2/batch HTTP/1.1\nHost: x\nTOKEN\nTransfer-Encoding: chunked\n\nzz\n";
    const { end } = await exchange(`${refused}DELETE /v2/dlq HTTP/1.1\nHost: x\nTOKEN\n\n`, "wait");
    expect(end).not.toBe("hung");
    expect(await fuzzed.ailments()).toEqual([]);
  });

  test("100 connections that say nothing keep nobody from being served", async () => {
    const { hostname, port } = new URL(fuzzed.emulator.url);
    const sockets = Array.from({ length: 100 }, (_, index) => {
      const socket = connect(Number(port), hostname).on("error", () => {});
      if (index % 2 === 0)
        socket.write(bytes("POST /v2/batch HTTP/1.1\nHost: x\nTOKEN\nContent-Length: 9\n\n["));
      return socket;
    });
    expect(await fuzzed.ailments()).toEqual([]);
    for (const socket of sockets) socket.destroy();
    expect(await fuzzed.ailments()).toEqual([]);
  });

  test("any bytes, cut into any pieces, leave it alive", async () => {
    const plain = "POST /v2/batch HTTP/1.1\nHost: x\nTOKEN\nContent-Length: 2\nConnection: close\n\n[]";
    const damage = fc.record({
      at: fc.nat({ max: 180 }),
      cut: fc.nat({ max: 8 }),
      insert: fc.uint8Array({ maxLength: 6 }),
      split: fc.nat({ max: 180 }),
      after: fc.constantFrom("end" as const, "destroy" as const),
    });
    await fuzz(damage, 1_500, async ({ at, cut, insert, split, after }) => {
      const whole = bytes(plain);
      const damaged = Buffer.concat([whole.subarray(0, at), Buffer.from(insert), whole.subarray(at + cut)]);
      const parts = [damaged.subarray(0, split), damaged.subarray(split)];
      const { end, status, text } = await sendBytes(fuzzed.emulator.url, parts, 5_000, after);
      expect(end).not.toBe("hung");
      expect(status, text).toBeLessThan(500);
    });
    expect(await fuzzed.ailments()).toEqual([]);
    expectSane(await fuzzed.send("GET", "/v2/dlq"));
  });
});
