import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { usePublishStand } from "../../../../test/support/publish-stand.ts";

const stand = usePublishStand();
const { deadLetters, publish, published, start } = stand;

describe("delivery", () => {
  test("sends method, body, content type and forwarded headers, and its own beside them", async () => {
    await start();
    const [answered] = await published([
      {
        destination: `${stand.target}/x`,
        body: "héllo",
        headers: {
          "Content-Type": "text/plain",
          "upstash-method": "PUT",
          "Upstash-Forward-X-Order": "7",
          "Upstash-Forward-Host": "elsewhere",
        },
      },
    ]);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);
    expect(stand.received[0]).toMatchObject({
      method: "PUT",
      body: "héllo",
      headers: {
        "content-type": "text/plain",
        "x-order": "7",
        host: new URL(stand.target).host,
        "upstash-message-id": answered?.messageId,
        "upstash-retried": "0",
        "user-agent": "Upstash-QStash",
        "upstash-signature": expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      },
    });
  });

  test("retries as often as asked and then keeps the last answer in the dead letter", async () => {
    stand.answer = ({ headers }) => ({
      status: 500 + Number(headers["upstash-retried"]),
      headers: { "X-Why": "no" },
      body: "sorry",
    });
    await start();
    await publish([
      {
        destination: `${stand.target}/x`,
        body: "text",
        headers: {
          "Content-Type": "text/plain",
          "Upstash-Retries": "2",
          "Upstash-Retry-Delay": "1000 * retried",
          "Upstash-Label": "a,b",
          "Upstash-Forward-X-Order": "7",
          "Upstash-Flow-Control-Key": "k",
          "Upstash-Flow-Control-Value": "parallelism=2,rate=5,period=2m",
        },
      },
    ]);
    await stand.emulator.idle();
    expect(stand.received.map(({ headers }) => headers["upstash-retried"])).toEqual(["0", "1", "2"]);
    expect(await deadLetters()).toEqual([
      expect.objectContaining({
        dlqId: expect.stringMatching(/^\d+-\d+$/),
        url: `${stand.target}/x`,
        method: "POST",
        header: { "Content-Type": ["text/plain"], "X-Order": ["7"] },
        body: "text",
        bodyBase64: "",
        maxRetries: 2,
        retryDelayExpression: "1000 * retried",
        callerIP: "127.0.0.1",
        label: "a",
        labels: ["a", "b"],
        flowControlKey: "k",
        parallelism: 2,
        rate: 5,
        period: 120,
        responseStatus: 502,
        responseHeader: expect.objectContaining({ "X-Why": ["no"] }),
        responseBody: "sorry",
        responseBodyBase64: "",
      }),
    ]);
  });

  test("keeps an answer that is not UTF-8 as base64", async () => {
    stand.answer = () => ({ status: 500, body: Buffer.from([0xff, 0x00]) });
    await start();
    await publish([{ destination: stand.target, headers: { "Upstash-Retries": "0" } }]);
    await stand.emulator.idle();
    expect((await deadLetters())[0]).toMatchObject({ responseBody: "", responseBodyBase64: "/wA=" });
  });

  test("takes 489 with the non-retryable header for never again", async () => {
    stand.answer = () => ({ status: 489, headers: { "Upstash-NonRetryable-Error": "true" } });
    await start();
    await publish([{ destination: stand.target, headers: { "Upstash-Retries": "5" } }]);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);
    expect(await deadLetters("?responseStatus=489")).toHaveLength(1);
  });

  test("does not call other machines, and counts that as a failed attempt at once", async () => {
    await start({ retryScale: 1 });
    await publish([{ destination: "https://example.com/", headers: { "Upstash-Retries": "0" } }]);
    await stand.emulator.idle();
    const [record] = await deadLetters();
    expect(record).toMatchObject({ url: "https://example.com/" });
    expect(record).not.toHaveProperty("responseStatus");
  });

  test("gives up an attempt after the message's timeout", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    await start({ deliveryTimeoutMs: 50, missingStatus: "zero" });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    await publish([{ destination: url, headers: { "Upstash-Retries": "0" } }]);
    await stand.emulator.idle();
    silent.close();
    expect(stand.emulator.journal.entries("delivery")[0]).toMatchObject({
      status: 0,
      error: "no answer within 50 ms",
    });
    expect(await deadLetters("?responseStatus=0")).toHaveLength(1);
  });

  test("waits for a delay until the clock has moved on", async () => {
    await start();
    await publish([{ destination: stand.target, headers: { "Upstash-Delay": "1h" } }]);
    expect(stand.emulator.pending).toBe(1);
    stand.emulator.clock.advance(3_600_000);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);
  });

  test("keeps the order of a queue and lets its head block it", async () => {
    let failures = 2;
    stand.answer = () => ({ status: failures-- > 0 ? 500 : 200 });
    await start();
    await publish(["1", "2", "3"].map((body) => ({ destination: stand.target, queue: "q", body })));
    await stand.emulator.idle();
    expect(stand.received.map(({ body }) => body)).toEqual(["1", "1", "1", "2", "3"]);
  });

  test("records which endpoint of a URL Group failed", async () => {
    stand.answer = ({ path }) => ({ status: path === "/b" ? 500 : 200 });
    await start({ earlierForm: true });
    stand.emulator.putUrlGroup("g", [
      { url: `${stand.target}/a` },
      { name: "second", url: `${stand.target}/b` },
    ]);
    await publish([{ destination: "g", headers: { "Upstash-Retries": "0" } }]);
    await stand.emulator.idle();
    expect(await deadLetters("?topicName=g")).toEqual([
      expect.objectContaining({
        url: `${stand.target}/b`,
        topicName: "g",
        endpointName: "second",
        state: "failed",
        topicId: expect.any(String),
      }),
    ]);
  });

  test("calls back on every attempt, and on failure with the dlqId", async () => {
    stand.answer = ({ path }) => ({ status: path === "/x" ? 500 : 200, body: "why" });
    await start();
    await publish([
      {
        destination: `${stand.target}/x`,
        body: "in",
        headers: {
          "Upstash-Retries": "1",
          "Upstash-Callback": `${stand.target}/callback`,
          "Upstash-Callback-Forward-X-For": "me",
          "Upstash-Failure-Callback": `${stand.target}/failed`,
        },
      },
    ]);
    await stand.emulator.idle();
    const callbacks = stand.received.filter(({ path }) => path === "/callback");
    expect(callbacks).toHaveLength(2);
    expect(new Set(callbacks.map(({ body }) => (JSON.parse(body) as { retried: number }).retried))).toEqual(
      new Set([0, 1]),
    );
    expect(callbacks[0]?.headers["x-for"]).toBe("me");
    const [record] = await deadLetters();
    expect(record).toMatchObject({
      callback: `${stand.target}/callback`,
      callbackHeader: { "X-For": ["me"] },
    });
    const failed = stand.received.find(({ path }) => path === "/failed");
    expect(JSON.parse(failed!.body)).toMatchObject({
      status: 500,
      body: Buffer.from("why").toString("base64"),
      sourceBody: Buffer.from("in").toString("base64"),
      sourceMessageId: record!["messageId"],
      dlqId: record!["dlqId"],
    });
  });

  test("lists redacted parts as their hash only", async () => {
    stand.answer = () => ({ status: 500 });
    await start();
    await publish([
      {
        destination: stand.target,
        body: "secret",
        headers: {
          "Upstash-Retries": "0",
          "Upstash-Redact-Fields": "body, header[X-Key]",
          "Upstash-Forward-X-Key": "k",
          "Upstash-Forward-X-Open": "o",
        },
      },
    ]);
    await stand.emulator.idle();
    expect(stand.received[0]).toMatchObject({ body: "secret", headers: { "x-key": "k" } });
    expect((await deadLetters())[0]).toMatchObject({
      body: expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/),
      header: { "X-Key": [expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/)], "X-Open": ["o"] },
    });
  });

  test("signs for the URL and the body with the current key, valid now", async () => {
    await start();
    await published([{ destination: `${stand.target}/x?y=1`, body: "signed" }]);
    await stand.emulator.idle();
    const [header, claims, signature] = String(stand.received[0]?.headers["upstash-signature"]).split(".");
    const expected = createHmac("sha256", stand.emulator.signingKeys.current).update(`${header}.${claims}`);
    expect(signature).toBe(expected.digest("base64url"));
    const now = stand.emulator.clock.now() / 1_000;
    const parsed = JSON.parse(Buffer.from(claims!, "base64url").toString()) as Record<string, unknown>;
    expect(parsed).toMatchObject({
      sub: `${stand.target}/x?y=1`,
      body: createHash("sha256").update("signed").digest("base64url"),
    });
    expect(parsed["nbf"]).toBeLessThanOrEqual(now);
    expect(parsed["exp"]).toBeGreaterThan(now);
  });

  test("speaks with the header prefix it was given, and with no other", async () => {
    stand.answer = () => ({ status: 489, headers: { "Service-NonRetryable-Error": "true" } });
    await start({ headerPrefix: "Service-" });
    const headers = { "Service-Forward-A": "1", "Upstash-Forward-B": "2", "service-retries": "3" };
    await published([{ destination: stand.target, headers }]);
    await stand.emulator.idle();
    expect(stand.received).toHaveLength(1);
    expect(stand.received[0]?.headers).toMatchObject({ a: "1", "service-retried": "0" });
    expect(stand.received[0]?.headers).not.toHaveProperty("b");
    expect((await deadLetters())[0]).toMatchObject({ maxRetries: 3 });
  });

  test("works at as many messages of a queue at once as its parallelism allows", async () => {
    await start({ retryScale: 1 });
    stand.emulator.putQueue("wide", 2);
    stand.answer = ({ body }) => ({ status: body === "stuck" ? 500 : 200 });
    const answers = await published(
      ["stuck", "1", "2"].map((body) => ({ destination: stand.target, queue: "wide", body })),
    );
    await stand.emulator.journal.waitFor(
      (entry) => entry.type === "delivery" && entry.messageId === answers[2]?.messageId,
    );
    await expect.poll(() => stand.emulator.pending).toBe(1);
  });
});
