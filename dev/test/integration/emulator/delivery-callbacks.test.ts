import { describe, expect, test } from "vitest";
import { Receiver } from "@upstash/qstash";
import { createStand } from "../../../../test/support/delivery-stand.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const parse = (body: string): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;

describe("a callback", () => {
  test("tells everything about the attempt and its message", async () => {
    const stand = await createStand({ clock: { now: () => 1_700_000_000_000 } });
    stand.core.directory.putUrlGroup("g", [{ name: "first", url: `${stand.url}/x` }]);
    stand.answer = ({ path }) =>
      path === "/x" ? { status: 201, headers: { "X-Answer": ["1", "2"] }, body: "fine" } : { status: 200 };
    const [id] = stand.publish([
      {
        destination: "g",
        body: "in",
        headers: {
          "Content-Type": "text/plain",
          "Upstash-Method": "PUT",
          "Upstash-Retries": "5",
          "Upstash-Callback": `${stand.url}/told`,
        },
      },
    ]);
    await stand.core.deliveries.idle();
    const [call] = stand.callsTo("/told");
    expect(call).toMatchObject({
      method: "POST",
      headers: { "content-type": "application/json", "upstash-retried": "0" },
    });
    expect(parse(call!.body)).toEqual({
      status: 201,
      header: expect.objectContaining({ "X-Answer": ["1", "2"] }),
      body: base64("fine"),
      retried: 0,
      maxRetries: 5,
      sourceMessageId: id,
      topicName: "g",
      endpointName: "first",
      url: `${stand.url}/x`,
      method: "PUT",
      sourceHeader: { "Content-Type": ["text/plain"] },
      sourceBody: base64("in"),
      notBefore: 1_700_000_000_000,
      createdAt: 1_700_000_000_000,
      callerIP: "127.0.0.1",
    });
  });

  test("has an id of its own, the same over its retries, and is signed for its own URL and body", async () => {
    const stand = await createStand();
    stand.answer = ({ path, headers }) => ({
      status: path === "/told" && headers["upstash-retried"] !== "2" ? 503 : 200,
    });
    const [id] = stand.publish([
      { destination: stand.url, headers: { "Upstash-Callback": `${stand.url}/told` } },
    ]);
    await stand.core.deliveries.idle();
    const calls = stand.callsTo("/told");
    expect(calls.map(({ headers }) => headers["upstash-retried"])).toEqual(["0", "1", "2"]);
    const ids = new Set(calls.map(({ headers }) => headers["upstash-message-id"]));
    expect(ids.size).toBe(1);
    expect(ids).not.toContain(id);
    const { current, next } = stand.core.settings.signingKeys;
    const receiver = new Receiver({ currentSigningKey: current, nextSigningKey: next });
    for (const { headers, body } of calls) {
      const signature = String(headers["upstash-signature"]);
      expect(await receiver.verify({ signature, body, url: `${stand.url}/told` })).toBe(true);
    }
    expect(stand.core.journal.entries("callback")).toEqual(
      [0, 1, 2].map((retried) =>
        expect.objectContaining({
          messageId: id,
          callbackMessageId: [...ids][0],
          retried,
          outcome: retried === 2 ? "delivered" : "failed",
        }),
      ),
    );
    expect(stand.core.journal.counts()).toMatchObject({
      accepted: 1,
      delivered: 1,
      callbacks: 3,
      failedAttempts: 0,
    });
  });

  test("that fails finally becomes a dead letter of its own, without further callbacks", async () => {
    const stand = await createStand();
    stand.answer = ({ path }) => ({ status: path === "/told" ? 502 : 200, body: path });
    const [id] = stand.publish([
      {
        destination: stand.url,
        body: "in",
        headers: {
          "Upstash-Callback": `${stand.url}/told`,
          "Upstash-Callback-Forward-X-For": "me",
          "Upstash-Failure-Callback": `${stand.url}/failed`,
        },
      },
    ]);
    await stand.core.deliveries.idle();
    expect(stand.callsTo("/told")).toHaveLength(4);
    expect(stand.callsTo("/failed")).toEqual([]);
    const [record, ...more] = stand.deadLetters();
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      messageId: stand.callsTo("/told")[0]!.headers["upstash-message-id"],
      url: `${stand.url}/told`,
      method: "POST",
      header: { "Content-Type": ["application/json"], "X-For": ["me"] },
      body: stand.callsTo("/told")[0]!.body,
      maxRetries: 3,
      responseStatus: 502,
      responseBody: "/told",
    });
    expect(record).not.toHaveProperty("callback");
    expect(record).not.toHaveProperty("failureCallback");
    expect(parse(String(record!["body"]))).toMatchObject({ sourceMessageId: id });
  });

  test("waits on the ladder before it is tried again", async () => {
    const stand = await createStand({ clock: { now: () => 0 }, retryScale: 1 });
    stand.answer = ({ path }) => ({ status: path === "/told" ? 500 : 200 });
    stand.publish([{ destination: stand.url, headers: { "Upstash-Callback": `${stand.url}/told` } }]);
    for (const [tries, waitMs] of [
      [1, 12_183],
      [2, 148_414],
      [3, 1_808_043],
    ] as const) {
      await expect.poll(() => stand.core.journal.entries("callback").length).toBe(tries);
      stand.core.clock.advance(waitMs - 1);
      expect(stand.callsTo("/told")).toHaveLength(tries);
      stand.core.clock.advance(1);
    }
    await stand.core.deliveries.idle();
    expect(stand.callsTo("/told")).toHaveLength(4);
  });

  test("of a redacted message shows no body in its own dead letter", async () => {
    const stand = await createStand();
    stand.answer = ({ path }) => ({ status: path === "/told" ? 500 : 200 });
    stand.publish([
      {
        destination: stand.url,
        body: "secret",
        headers: { "Upstash-Callback": `${stand.url}/told`, "Upstash-Redact-Fields": "body" },
      },
    ]);
    await stand.core.deliveries.idle();
    expect(parse(stand.callsTo("/told")[0]!.body)).toMatchObject({ sourceBody: base64("secret") });
    expect(stand.deadLetters()).toEqual([
      expect.objectContaining({ body: expect.stringMatching(/^REDACTED:/) }),
    ]);
  });
});

describe("a failure callback", () => {
  test("comes once, names the dead letter, and its own dead letter is another", async () => {
    const stand = await createStand();
    stand.answer = () => ({ status: 500, body: Buffer.from([0xff]) });
    const [id] = stand.publish([
      {
        destination: `${stand.url}/x`,
        headers: { "Upstash-Retries": "1", "Upstash-Failure-Callback": `${stand.url}/failed` },
      },
    ]);
    await stand.core.deliveries.idle();
    const bodies = new Set(stand.callsTo("/failed").map(({ body }) => body));
    expect(bodies.size).toBe(1);
    const [failed, ownRecord] = stand.deadLetters();
    expect(parse([...bodies][0]!)).toMatchObject({
      dlqId: failed!["dlqId"],
      retried: 1,
      maxRetries: 1,
      status: 500,
      body: "/w==",
      sourceMessageId: id,
    });
    expect(ownRecord).toMatchObject({ url: `${stand.url}/failed`, body: [...bodies][0] });
    expect(ownRecord!["dlqId"]).not.toBe(failed!["dlqId"]);
  });

  test("tells of an attempt without an answer as status 0", async () => {
    const stand = await createStand();
    stand.publish([
      {
        destination: "https://example.com/",
        headers: { "Upstash-Retries": "0", "Upstash-Failure-Callback": `${stand.url}/failed` },
      },
    ]);
    await stand.core.deliveries.idle();
    expect(parse(stand.callsTo("/failed")[0]!.body)).toMatchObject({ status: 0, header: {}, body: "" });
  });
});
