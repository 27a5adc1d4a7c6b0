import { isIP } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { usePlainClient, type Item, type Listed, PlainClient } from "../../support/plain-client.ts";
import { startServiceUnderTest, testTimeoutMs } from "../../support/service-under-test.ts";

/** What the dead letters of this file are; each was made through the service. */
interface Letters {
  readonly rich: Listed;
  readonly plain: Listed;
  readonly delayed: Listed;
  readonly retried: Listed;
  readonly binaryAnswer: Listed;
  readonly queued: Listed;
  readonly named: Listed;
  readonly unnamed: Listed;
}

const client = await usePlainClient();
let letters: Letters;
let publishedAt: number;
let names: Record<"label" | "second" | "queue" | "group" | "key", string>;

beforeAll(async () => {
  names = {
    label: client.label(),
    second: client.fresh("second"),
    queue: client.queue(),
    key: client.fresh("flow"),
    group: await client.urlGroup([
      { name: "billing", url: client.at("/status/500/billing") },
      { url: client.at("/status/500/unnamed") },
      { name: "healthy", url: client.at("/status/200/healthy") },
    ]),
  };
  const label = names.label;
  publishedAt = Date.now();
  const [rich, plain, delayed, retried, binaryAnswer, queued] = await client.dead(
    [
      {
        destination: client.at("/echo/503?X-Answer=first&Retry-After=7"),
        body: '{"order":17,"name":"Grüße"}',
        headers: {
          "Content-Type": "application/json",
          [client.header("Method")]: "PUT",
          [client.header("Forward-X-Order")]: "17",
          [client.header("Callback")]: client.at("/status/200/callback"),
          [client.header("Failure-Callback")]: client.at("/status/200/failure-callback"),
          [client.header("Label")]: names.second,
          [client.header("Flow-Control-Key")]: names.key,
          [client.header("Flow-Control-Value")]: "parallelism=3, rate=20, period=2s",
        },
      },
      {},
      { headers: { [client.header("Delay")]: "1s" } },
      { headers: { [client.header("Retries")]: "1" } },
      { destination: client.at("/binary/500") },
      { queue: names.queue },
    ],
    label,
  );
  const groupLabel = client.label();
  const [accepted] = (await client.published([
    {
      destination: names.group,
      headers: { [client.header("Retries")]: "0", [client.header("Label")]: groupLabel },
    },
  ])) as [{ messageId: string; url: string }[]];
  const failing = accepted.filter(({ url }) => url.includes("/500/"));
  const records = await client.untilListed(
    groupLabel,
    failing.map((one) => one.messageId),
  );
  letters = {
    rich: rich!,
    plain: plain!,
    delayed: delayed!,
    retried: retried!,
    binaryAnswer: binaryAnswer!,
    queued: queued!,
    named: records.find(({ url }) => String(url).endsWith("/billing"))!,
    unnamed: records.find(({ url }) => String(url).endsWith("/unnamed"))!,
  };
}, testTimeoutMs);

const nothing = () => "";
const binaryAnswer = Buffer.from([0xff, 0xfe, 0x00, 0x80]).toString("base64");
const allLetters = (): Listed[] => Object.values(letters) as Listed[];

const inEarlierForm = async (
  items: (earlier: PlainClient) => Promise<readonly Item[]>,
): Promise<readonly Listed[]> => {
  await using service = await startServiceUnderTest({ earlierForm: true });
  const earlier = new PlainClient(service);
  return await earlier.dead(await items(earlier));
};

describe("2.3 DLQ message", { timeout: testTimeoutMs }, () => {
  test("messageId: unique identifier of the message", () => {
    const ids = allLetters().map(({ messageId }) => messageId);
    for (const id of ids) expect(id).toMatch(/^msg_./);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("dlqId, which the table leaves out: milliseconds, dash, sequence; unique, and not the messageId", () => {
    const ids = allLetters().map(({ dlqId }) => dlqId);
    for (const id of ids) expect(id).toMatch(/^\d{13}-\d+$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each<[row: string, letter: keyof Letters, expected: () => unknown]>([
    ["url: URL the message should be delivered to", "plain", () => client.at("/status/500")],
    ["url: that of the endpoint in a URL Group", "named", () => client.at("/status/500/billing")],
    ["url: of a queue's message", "queued", () => client.at("/status/500")],
    ["topicName: URL Group name, when sent to a URL Group", "named", () => names.group],
    ["topicName: none", "plain", nothing],
    ["endpointName: name of the endpoint within the URL Group", "named", () => "billing"],
    ["endpointName: of an endpoint without one", "unnamed", nothing],
    ["endpointName: none", "plain", nothing],
    ["method: HTTP method used for the message", "rich", () => "PUT"],
    ["method: of itself", "plain", () => "POST"],
    ["body: the body when it is made only of UTF-8 characters", "rich", () => '{"order":17,"name":"Grüße"}'],
    ["body: none", "plain", nothing],
    ["bodyBase64: none beside a body", "rich", nothing],
    ["maxRetries: number of retries to attempt after a delivery failure", "plain", () => 0],
    ["maxRetries: one", "retried", () => 1],
    ["callback: URL called on every delivery attempt", "rich", () => client.at("/status/200/callback")],
    ["callback: none", "plain", nothing],
    ["failureCallback: called after the failure", "rich", () => client.at("/status/200/failure-callback")],
    ["failureCallback: none", "plain", nothing],
    ["queueName: queue the message was enqueued on, if any", "queued", () => names.queue],
    ["queueName: none", "plain", nothing],
    ["label: label assigned by the user, the first of several", "rich", () => names.label],
    ["labels: labels of the message", "rich", () => [names.label, names.second]],
    ["labels: one", "plain", () => [names.label]],
    ["flowControlKey: flow control key of the message", "rich", () => names.key],
    ["flowControlKey: none", "plain", nothing],
    ["rate: flow control value as it was given", "rich", () => 20],
    ["period: flow control value in seconds", "rich", () => 2],
    ["parallelism: flow control value as it was given", "rich", () => 3],
    ["responseStatus: HTTP status code of the last failed delivery attempt", "rich", () => 503],
    ["responseStatus: of another", "plain", () => 500],
    ["responseBody: response body of the last failed attempt when only UTF-8", "plain", () => "status 500"],
    ["responseBody: none if it is not UTF-8", "binaryAnswer", nothing],
    ["responseBodyBase64: none beside a text", "plain", nothing],
    ["responseBodyBase64: base64 of what is not UTF-8", "binaryAnswer", () => binaryAnswer],
  ])("%s, of the %s one", (row, letter, expected) => {
    const [field = ""] = row.split(":");
    expect(letters[letter][field] ?? "").toEqual(expected());
  });

  test("header: HTTP headers sent to the destination, arrays of strings, without the Forward prefix", () => {
    const header = letters.rich["header"] as Record<string, string[]>;
    for (const values of Object.values(header)) {
      expect(values).toSatisfy((all: unknown[]) => all.every((value) => typeof value === "string"));
    }
    const named = new Map(Object.entries(header).map(([name, values]) => [name.toLowerCase(), values]));
    expect(named.get("content-type")).toEqual(["application/json"]);
    expect(named.get("x-order")).toEqual(["17"]);
    expect([...named.keys()].filter((name) => name.includes("forward-"))).toEqual([]);
  });

  test("bodyBase64: base64 of a body with a non-UTF-8 character, and body is empty then", async () => {
    const label = client.label();
    const bytes = Buffer.from([0xff, 0x00, 0xc3, 0x28, 0x41]);
    // Only a single message can carry such a body: a batch holds text.
    const { body } = await client.call("POST", `/v2/publish/${client.at("/status/500")}`, {
      headers: {
        Authorization: `Bearer ${client.service.token}`,
        "Content-Type": "application/octet-stream",
        [client.header("Retries")]: "0",
        [client.header("Label")]: label,
      },
      body: bytes,
    });
    const { messageId } = body as { messageId: string };
    const [record] = await client.untilListed(label, [messageId]);
    expect(record!["bodyBase64"]).toBe(bytes.toString("base64"));
    expect(record!["body"] ?? "").toBe("");
  });

  test("notBefore: Unix milliseconds before which the message must not be delivered", () => {
    const { notBefore, createdAt } = letters.delayed as unknown as { notBefore: number; createdAt: number };
    expect(notBefore).toBeGreaterThanOrEqual(createdAt + 900);
    expect(notBefore).toBeLessThanOrEqual(createdAt + 1100);
  });

  test("createdAt: Unix milliseconds of creation", () => {
    for (const letter of allLetters()) {
      expect(letter["createdAt"]).toSatisfy(Number.isInteger);
      // A minute for clocks that differ.
      expect(Math.abs(Number(letter["createdAt"]) - publishedAt)).toBeLessThan(60_000);
    }
  });

  test("scheduleId: absent from a message that no schedule triggered", () => {
    expect(allLetters().map((letter) => letter["scheduleId"] ?? "")).toEqual(allLetters().map(() => ""));
  });

  test("scheduleId: schedule that triggered the message", async () => {
    const label = client.label();
    const scheduleId = client.fresh("scd");
    await fetch(`${client.service.controlUrl}/_control/dlq`, {
      method: "POST",
      body: JSON.stringify({ records: [{ scheduleId, label, labels: [label] }] }),
    });
    expect(await client.listed({ label })).toMatchObject([{ scheduleId }]);
  });

  test("callerIP: IP address of the publisher", () => {
    for (const letter of allLetters()) expect(isIP(String(letter["callerIP"]))).toBeGreaterThan(0);
  });

  test("responseHeader: response headers of the last failed attempt", () => {
    const header = new Map(
      Object.entries(letters.rich["responseHeader"] as Record<string, string | string[]>).map(
        ([name, value]) => [name.toLowerCase(), [value].flat().join(", ")],
      ),
    );
    expect(header.get("x-answer")).toBe("first");
    expect(header.get("retry-after")).toBe("7");
  });

  test("state: failed, in the earlier form of the listing only", async () => {
    // Today's form has no such field; a service that still shows it says failed.
    for (const letter of allLetters()) expect([undefined, "failed"]).toContain(letter["state"]);
    expect(await inEarlierForm(async () => [{}])).toMatchObject([{ state: "failed" }]);
    expect(letters.plain).not.toHaveProperty("state");
  });

  test("topicId: identifier of the URL Group, in the earlier form of the listing only", async () => {
    const records = await inEarlierForm(async (earlier) => {
      const urls = ["a", "b"].map((path) => ({ url: earlier.at(`/status/500/${path}`) }));
      return [{ destination: await earlier.urlGroup(urls) }, {}];
    });
    expect(letters.named).not.toHaveProperty("topicId");
    expect(records[0]!["topicId"]).toMatch(/./);
    expect(records[1]!["topicId"]).toBe(records[0]!["topicId"]);
    expect(records[2]).not.toHaveProperty("topicId");
  });
});
