import { describe, expect, test } from "vitest";
import { refusal, usePlainClient } from "../../support/plain-client.ts";
import { testTimeoutMs } from "../../support/service-under-test.ts";

const client = await usePlainClient();

describe("2.1 batch message", { timeout: testTimeoutMs }, () => {
  test("headers: same headers as when creating a single message, names in any case", async () => {
    const headers = {
      "content-type": "text/x-conformance",
      [client.header("METHOD")]: "PATCH",
      [client.header("forward-x-Trace").toLowerCase()]: "abc",
    };
    expect(await client.delivered({ headers })).toMatchObject([
      { method: "PATCH", headers: { "content-type": "text/x-conformance", "x-trace": "abc" } },
    ]);
  });

  test.each([
    ["body: arrives as it was given, beyond ASCII too", '{"text":"Grüße, \\u0000 中 🜁"}\n'],
    ["body, optional: a message without one arrives empty", undefined],
  ])("%s", async (_, body) => {
    expect(await client.delivered(body === undefined ? {} : { body })).toMatchObject([{ body: body ?? "" }]);
  });

  test("Service-Delay: a number of seconds with the suffix s holds the delivery back", async () => {
    const publishedAt = Date.now();
    const [kept] = await client.delivered({ headers: { [client.header("Delay")]: "1s" } });
    expect(kept!.arrivedAt - publishedAt).toBeGreaterThanOrEqual(990);
  });

  test("Service-Forward-<name>: reaches the destination as header <name>", async () => {
    const name = client.header("Forward-X-Order-Id");
    const [kept] = await client.delivered({ headers: { [name]: "17; of=20" } });
    expect(kept!.headers).toMatchObject({ "x-order-id": "17; of=20" });
    expect(Object.keys(kept!.headers)).not.toContain(name.toLowerCase());
  });
});

describe("4.1 batch publish", { timeout: testTimeoutMs }, () => {
  test.each([
    ["Method and path: POST {base_url}/v2/batch answers 2xx with JSON", "application/json"],
    ["Request header Content-Type: accepted with a charset too", "application/json; charset=utf-8"],
  ])("%s", async (_, type) => {
    const { status, body, contentType } = await client.call("POST", "/v2/batch", {
      headers: { Authorization: `Bearer ${client.service.token}`, "Content-Type": type },
      body: JSON.stringify([{ destination: client.at("/status/200") }]),
    });
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(300);
    expect(contentType).toMatch(/^application\/json/);
    expect(body).toHaveLength(1);
  });

  test("Request body: anything but a JSON array is refused with an error", async () => {
    for (const body of ["", "[", '"text"', "{}", "null", "[1]", "[null]"]) {
      const answer = await client.call("POST", "/v2/batch", {
        headers: { Authorization: `Bearer ${client.service.token}`, "Content-Type": "application/json" },
        body,
      });
      expect(answer, body).toMatchObject(refusal());
    }
  });

  test("Response body: same order and length as the request", async () => {
    const label = client.label();
    const bodies = Array.from({ length: 12 }, (_, index) => `message ${index}`);
    const answers = (await client.published(
      bodies.map((body) => ({
        destination: client.at("/status/500"),
        headers: { [client.header("Retries")]: "0", [client.header("Label")]: label },
        body,
      })),
    )) as { messageId: string }[];
    expect(answers).toHaveLength(bodies.length);
    const records = await client.untilListed(
      label,
      answers.map((one) => one.messageId),
    );
    expect(records.map(({ body }) => body)).toEqual(bodies);
  });

  test.each([
    ["a destination that is no URL", { destination: "not a url at all" }],
    ["a destination of another scheme", { destination: "ftp://127.0.0.1/" }],
    ["no destination", { body: "x" }],
    ["a deduplication id with a colon", { headers: { "Deduplication-Id": "a:b" } }],
    ["a queue with a delay", { queue: "later", headers: { Delay: "1s" } }],
    ["a queue with a moment", { queue: "later", headers: { "Not-Before": "1999999999" } }],
  ])("Validation: %s refuses the whole call, and nothing of it is sent", async (_, bad) => {
    const name = client.fresh("refused");
    const good = { destination: client.at(`/keep/${name}/200`), body: "of the refused call" };
    const { headers = {}, ...rest } = bad as { headers?: Record<string, string> };
    const item = {
      ...("body" in bad ? {} : { destination: client.at(`/keep/${name}/200`) }),
      ...rest,
      headers: Object.fromEntries(
        Object.entries(headers).map(([header, value]) => [client.header(header), value]),
      ),
    };
    const { status, body } = await client.batch([good, item, good]);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toEqual({ error: expect.any(String) as unknown });
    // What had been accepted before this one would be under way before it.
    await client.published([{ ...good, body: "published afterwards" }]);
    expect((await client.kept(name, 1)).map((kept) => kept.body)).toEqual(["published afterwards"]);
  });
});
