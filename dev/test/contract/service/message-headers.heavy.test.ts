import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { overlaps, usePlainClient } from "../../support/plain-client.ts";
import { testTimeoutMs } from "../../support/service-under-test.ts";

/** The table of message headers in the remote contract, each by its effect. */
const client = await usePlainClient();

/** Item headers; a name that begins with a dash gets the service's prefix. */
const headers = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.startsWith("-") ? client.header(name.slice(1)) : name,
      value,
    ]),
  );

/** The first rung of the ladder is e^2.5 s. */
const firstWaitMs = 12_182;

describe("remote contract: message headers", { timeout: testTimeoutMs }, () => {
  test("Method: the method at the destination, default POST", async () => {
    const methods = ["GET", "POST", "PUT", "DELETE", "PATCH"];
    const items = methods.map((method) => ({ headers: headers({ "-Method": method }) }));
    const seen = (await client.delivered(...items, {})).map(({ method }) => method);
    expect(seen.toSorted()).toEqual([...methods, "POST"].toSorted());
  });

  test("Retries: attempts after the first one, counted in Retried", async () => {
    const name = client.fresh("retries");
    const label = client.label();
    await client.dead(
      [{ destination: client.at(`/keep/${name}/500`), headers: headers({ "-Retries": "1" }) }],
      label,
    );
    const kept = await client.kept(name, 2);
    expect(kept).toHaveLength(2);
    expect(kept.map((one) => one.headers[client.header("Retried").toLowerCase()])).toEqual(["0", "1"]);
    expect(kept[1]!.arrivedAt - kept[0]!.arrivedAt).toBeGreaterThanOrEqual(
      0.9 * firstWaitMs * client.service.retryScale,
    );
  });

  test("Retry-Delay: an expression in milliseconds over retried takes the ladder's place", async () => {
    const name = client.fresh("retry-delay");
    const [record] = await client.dead([
      {
        destination: client.at(`/keep/${name}/500`),
        headers: headers({ "-Retries": "1", "-Retry-Delay": "20000 * (1 + retried)" }),
      },
    ]);
    expect(record!["retryDelayExpression"]).toBe("20000 * (1 + retried)");
    const kept = await client.kept(name, 2);
    expect(kept[1]!.arrivedAt - kept[0]!.arrivedAt).toBeGreaterThanOrEqual(
      0.9 * 20_000 * client.service.retryScale,
    );
  });

  test("Delay: seconds, minutes, hours and days add up in notBefore", async () => {
    const [record] = await client.dead([{ headers: headers({ "-Delay": "0d0h0m1s" }) }]);
    expect(Number(record!["notBefore"]) - Number(record!["createdAt"])).toBeGreaterThanOrEqual(900);
  });

  test("Delay: what is no duration refuses the call", async () => {
    for (const delay of ["soon", "10", "-5s", "5x", "s"]) {
      const item = { destination: client.at("/status/200"), headers: headers({ "-Delay": delay }) };
      expect((await client.batch([item])).status, delay).toBe(400);
    }
  });

  test("Not-Before: unix seconds, wins over Delay", async () => {
    const moment = Math.ceil(Date.now() / 1000) + 1;
    const [kept] = await client.delivered({
      headers: headers({ "-Not-Before": String(moment), "-Delay": "1h" }),
    });
    expect(kept!.arrivedAt).toBeGreaterThanOrEqual(moment * 1000 - 50);
  });

  test("Timeout: an answer that comes later is a failed attempt without an HTTP answer", async () => {
    const [record] = await client.dead([
      { destination: client.at("/status/200?delayMs=4000"), headers: headers({ "-Timeout": "1s" }) },
    ]);
    expect(record!["responseStatus"] ?? 0).not.toBe(200);
  });

  test("Callback: called on every attempt, with its own headers", async () => {
    const name = client.fresh("callback");
    const [record] = await client.dead([
      {
        destination: client.at("/status/500/called-back"),
        body: "the message",
        headers: headers({
          "-Retries": "1",
          "-Callback": client.at(`/keep/${name}/200`),
          "-Callback-Forward-X-Own": "callback",
        }),
      },
    ]);
    const kept = await client.kept(name, 2);
    expect(kept.map((one) => one.headers["x-own"])).toEqual(["callback", "callback"]);
    const bodies = kept.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies.map((body) => body["retried"])).toEqual([0, 1]);
    for (const body of bodies) {
      expect(body).toMatchObject({
        status: 500,
        body: Buffer.from("status 500").toString("base64"),
        maxRetries: 1,
        sourceMessageId: record!.messageId,
        url: client.at("/status/500/called-back"),
        method: "POST",
        sourceBody: Buffer.from("the message").toString("base64"),
        createdAt: record!["createdAt"],
      });
      expect(body["header"]).toBeTypeOf("object");
      expect(body["sourceHeader"]).toBeTypeOf("object");
      expect(body["notBefore"]).toSatisfy(Number.isInteger);
    }
  });

  test("Callback: called for a delivery that succeeds", async () => {
    const name = client.fresh("callback");
    const callback = headers({ "-Callback": client.at(`/keep/${name}/200`) });
    await client.published([{ destination: client.at("/echo/201"), headers: callback }]);
    const [kept] = await client.kept(name, 1);
    expect(JSON.parse(kept!.body)).toMatchObject({ status: 201, retried: 0 });
  });

  test("Failure-Callback: called once after the message has failed, with dlqId and its own headers", async () => {
    const name = client.fresh("failure");
    const [record] = await client.dead([
      {
        headers: headers({
          "-Retries": "1",
          "-Failure-Callback": client.at(`/keep/${name}/200`),
          "-Failure-Callback-Forward-X-Own": "failure",
        }),
      },
    ]);
    const kept = await client.kept(name, 1);
    expect(kept).toHaveLength(1);
    expect(kept[0]!.headers["x-own"]).toBe("failure");
    expect(JSON.parse(kept[0]!.body)).toMatchObject({
      status: 500,
      retried: 1,
      sourceMessageId: record!.messageId,
      dlqId: record!.dlqId,
    });
  });

  test("Flow-Control-Key, Flow-Control-Value: both together or refused", async () => {
    const item = (values: Record<string, string>) => ({
      destination: client.at("/status/200"),
      headers: headers(values),
    });
    const key = client.fresh("flow");
    for (const values of [
      { "-Flow-Control-Key": key },
      { "-Flow-Control-Value": "rate=1" },
      { "-Flow-Control-Key": key, "-Flow-Control-Value": "rate=fast" },
    ]) {
      expect((await client.batch([item(values as Record<string, string>)])).status).toBe(400);
    }
  });

  test("Flow-Control-Value: parallelism=1 delivers one at a time", async () => {
    const name = client.fresh("parallelism");
    const one = {
      destination: client.at(`/keep/${name}/200?delayMs=150`),
      headers: headers({ "-Flow-Control-Key": client.fresh("flow"), "-Flow-Control-Value": "parallelism=1" }),
    };
    await client.published([one, one, one]);
    expect(overlaps(await client.kept(name, 3))).toEqual([]);
  });

  test("Flow-Control-Value: rate=1 lets one delivery start per period", async () => {
    const flow = { "-Flow-Control-Key": client.fresh("flow"), "-Flow-Control-Value": "rate=1, period=1s" };
    const one = { headers: headers(flow) };
    const [first, , third] = await client.delivered(one, one, one);
    // Whatever way the service counts periods, one lies between the first and the third.
    expect(third!.arrivedAt - first!.arrivedAt).toBeGreaterThanOrEqual(950);
  });

  test("Deduplication-Id: ignores that the first message has failed", async () => {
    const one = {
      destination: client.at("/status/500"),
      headers: headers({ "-Deduplication-Id": client.fresh("failed") }),
    };
    const [record] = await client.dead([one]);
    const again = [{ messageId: record!.messageId, deduplicated: true }];
    expect(await client.published([one])).toMatchObject(again);
    await client.delete({ dlqIds: record!.dlqId });
    expect(await client.published([one])).toMatchObject(again);
  });

  test("Deduplication-Id: twice in one call, the second is deduplicated", async () => {
    const one = {
      destination: client.at("/status/200"),
      headers: headers({ "-Deduplication-Id": client.fresh("twice") }),
    };
    const [first, second] = (await client.published([one, one])) as [{ messageId: string }, unknown];
    expect(second).toMatchObject({ messageId: first.messageId, deduplicated: true });
  });

  test("Redact-Fields: body and a named header list as REDACTED:<sha256>, and arrive unredacted", async () => {
    const name = client.fresh("redacted");
    const [record] = await client.dead([
      {
        destination: client.at(`/keep/${name}/500`),
        body: "secret",
        headers: headers({
          "-Redact-Fields": "body, header[X-Secret]",
          "-Forward-X-Secret": "hidden",
          "-Forward-X-Open": "shown",
        }),
      },
    ]);
    expect(record!["body"]).toBe(`REDACTED:${createHash("sha256").update("secret").digest("hex")}`);
    const shown = Object.entries(record!["header"] as Record<string, string[]>);
    const header = new Map(shown.map(([key, values]) => [key.toLowerCase(), values]));
    expect(header.get("x-secret")).toEqual([expect.stringMatching(/^REDACTED:[0-9a-f]{64}$/)]);
    expect(header.get("x-open")).toEqual(["shown"]);
    const [kept] = await client.kept(name, 1);
    expect(kept).toMatchObject({ body: "secret", headers: { "x-secret": "hidden", "x-open": "shown" } });
  });

  test("Redact-Fields: header redacts every header", async () => {
    const [record] = await client.dead([
      { headers: headers({ "-Redact-Fields": "header", "-Forward-X-Secret": "hidden" }) },
    ]);
    expect(JSON.stringify(record!["header"])).not.toContain("hidden");
    expect(JSON.stringify(record!["header"])).toContain("REDACTED:");
  });
});
