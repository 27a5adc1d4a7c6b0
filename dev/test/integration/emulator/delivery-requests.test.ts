import { Receiver } from "@upstash/qstash";
import { describe, expect, test } from "vitest";
import { createStand, type Call } from "../../../../test/support/delivery-stand.ts";

/** Names in lower case, without those that belong to the connection. */
const namesOf = (call: Call): string[] =>
  call.rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .filter((name) => !["host", "connection", "content-length"].includes(name))
    .toSorted();

describe("a destination gets", () => {
  test("the documented headers and no others", async () => {
    const stand = await createStand();
    const [id] = stand.publish([{ destination: stand.url, body: "x" }]);
    await stand.core.deliveries.idle();
    expect(namesOf(stand.calls[0]!)).toEqual([
      "upstash-caller-ip",
      "upstash-message-id",
      "upstash-retried",
      "upstash-signature",
      "user-agent",
    ]);
    expect(stand.calls[0]!.headers).toMatchObject({
      "user-agent": "Upstash-QStash",
      "upstash-message-id": id,
      "upstash-retried": "0",
      "upstash-caller-ip": "127.0.0.1",
      "content-length": "1",
    });
  });

  test("the name of the URL Group it is in", async () => {
    const stand = await createStand();
    stand.core.directory.putUrlGroup("orders", [{ url: stand.url }]);
    stand.publish([{ destination: "orders", body: "x" }]);
    await stand.core.deliveries.idle();
    expect(stand.calls[0]!.headers).toMatchObject({ "upstash-topic-name": "orders" });
  });

  test("a content type only where the message has one", async () => {
    const stand = await createStand();
    stand.publish([
      { destination: `${stand.url}/none`, body: "{}" },
      { destination: `${stand.url}/some`, body: "{}", headers: { "content-type": "application/x-thing" } },
    ]);
    await stand.core.deliveries.idle();
    expect(stand.callsTo("/none")[0]!.headers).not.toHaveProperty("content-type");
    expect(stand.callsTo("/some")[0]!.headers["content-type"]).toBe("application/x-thing");
  });

  test("the service's own header once where a message forwards one of the same name", async () => {
    const stand = await createStand({ headerPrefix: "X-MyCo-" });
    const [id] = stand.publish([
      {
        destination: stand.url,
        headers: {
          "X-MyCo-Forward-X-MyCo-Message-Id": "forged",
          "X-MyCo-Forward-x-myco-signature": "forged",
          "X-MyCo-Forward-User-Agent": "forged",
        },
      },
    ]);
    await stand.core.deliveries.idle();
    expect(stand.calls[0]!.headers["x-myco-message-id"]).toBe(id);
    expect(JSON.stringify(stand.calls[0]!.rawHeaders)).not.toContain("forged");
  });

  test("forwarded headers with odd names and Latin-1 values", async () => {
    const stand = await createStand();
    stand.publish([
      {
        destination: stand.url,
        headers: { "Upstash-Forward-__proto__": "p", "Upstash-Forward-X-City": "Köln" },
      },
    ]);
    await stand.core.deliveries.idle();
    expect(stand.calls[0]!.rawHeaders).toContain("__proto__");
    expect(stand.calls[0]!.headers["x-city"]).toBe("Köln");
  });

  test.each(["GET", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH", "POST"])(
    "%s with its body, again and again",
    async (method) => {
      const stand = await createStand();
      const item = { destination: stand.url, body: "with a body", headers: { "Upstash-Method": method } };
      stand.publish([item, item, { ...item, body: "" }]);
      await stand.core.deliveries.idle();
      expect(stand.core.journal.counts()).toMatchObject({ delivered: 3, failedAttempts: 0 });
      expect(stand.bodies().toSorted()).toEqual(["", "with a body", "with a body"]);
      expect(new Set(stand.calls.map((call) => call.method))).toEqual(new Set([method]));
    },
  );
});

async function signed() {
  const stand = await createStand();
  const destination = `${stand.url}/x?y=1&z=%20`;
  stand.publish([{ destination, body: '{"a":"ü"}' }]);
  await stand.core.deliveries.idle();
  const { headers, body } = stand.calls[0]!;
  return { stand, url: destination, body, signature: String(headers["upstash-signature"]) };
}

describe("the signature", () => {
  const stranger = "sig_somebody_else";

  test("is accepted by the official receiver, whether it knows the key as current or as next", async () => {
    const { stand, url, body, signature } = await signed();
    const key = stand.core.settings.signingKeys.current;
    for (const keys of [
      { currentSigningKey: key, nextSigningKey: stranger },
      { currentSigningKey: stranger, nextSigningKey: key },
    ]) {
      expect(await new Receiver(keys).verify({ signature, body, url })).toBe(true);
    }
  });

  test("is accepted by a receiver whose clock is right although the emulator's was moved", async () => {
    const { stand, url, body } = await signed();
    stand.core.clock.advance(7 * 86_400_000);
    stand.publish([{ destination: url, body }]);
    await stand.core.deliveries.idle();
    const { current, next } = stand.core.settings.signingKeys;
    const receiver = new Receiver({ currentSigningKey: current, nextSigningKey: next });
    const signature = String(stand.calls[1]!.headers["upstash-signature"]);
    expect(await receiver.verify({ signature, body, url })).toBe(true);
  });

  test("is refused for another body, another URL, and by somebody with other keys", async () => {
    const { stand, url, body, signature } = await signed();
    const { current, next } = stand.core.settings.signingKeys;
    const ours = new Receiver({ currentSigningKey: current, nextSigningKey: next });
    const theirs = new Receiver({ currentSigningKey: stranger, nextSigningKey: stranger });
    await expect(ours.verify({ signature, body: `${body} `, url })).rejects.toThrow(/body hash/);
    await expect(ours.verify({ signature, body, url: `${url}&more` })).rejects.toThrow(/subject/);
    await expect(theirs.verify({ signature, body, url })).rejects.toThrow(/signature/);
    await expect(ours.verify({ signature: `${signature.slice(0, -4)}AAAA`, body, url })).rejects.toThrow(
      /signature/,
    );
  });

  test("of an empty body is accepted too", async () => {
    const stand = await createStand();
    stand.publish([{ destination: `${stand.url}/` }]);
    await stand.core.deliveries.idle();
    const { current, next } = stand.core.settings.signingKeys;
    const receiver = new Receiver({ currentSigningKey: current, nextSigningKey: next });
    const signature = String(stand.calls[0]!.headers["upstash-signature"]);
    expect(await receiver.verify({ signature, body: "", url: `${stand.url}/` })).toBe(true);
  });
});

describe("489", () => {
  test.each([
    ["with the header goes to the DLQ at once", { "Upstash-NonRetryable-Error": "true" }, 1],
    ["without the header is an ordinary failure", {}, 3],
    ["with the header saying false is an ordinary failure", { "Upstash-NonRetryable-Error": "false" }, 3],
    ["with another service's header is an ordinary failure", { "Other-NonRetryable-Error": "true" }, 3],
  ] as [string, Record<string, string>, number][])("%s", async (_, headers, attempts) => {
    const stand = await createStand();
    stand.answer = () => ({ status: 489, headers });
    stand.publish([{ destination: stand.url, headers: { "Upstash-Retries": "2" } }]);
    await stand.core.deliveries.idle();
    expect(stand.calls).toHaveLength(attempts);
    expect(stand.deadLetters()).toEqual([expect.objectContaining({ responseStatus: 489 })]);
  });

  test("is needed: another status with the header is an ordinary failure", async () => {
    const stand = await createStand();
    stand.answer = () => ({ status: 400, headers: { "Upstash-NonRetryable-Error": "true" } });
    stand.publish([{ destination: stand.url, headers: { "Upstash-Retries": "1" } }]);
    await stand.core.deliveries.idle();
    expect(stand.calls).toHaveLength(2);
  });
});
