import { describe, expect, test } from "vitest";
import { overlaps, refusal, usePlainClient } from "../../support/plain-client.ts";
import { testTimeoutMs } from "../../support/service-under-test.ts";

const client = await usePlainClient();

describe("remote contract: deliveries", { timeout: testTimeoutMs }, () => {
  test("carry User-Agent, Content-Type, Message-Id and Retried", async () => {
    const name = client.fresh("delivery");
    const destination = client.at(`/keep/${name}/200`);
    const type = { "Content-Type": "text/plain" };
    const [answer] = (await client.published([{ destination, headers: type }])) as [{ messageId: string }];
    const { headers } = (await client.kept(name, 1))[0]!;
    expect(headers["user-agent"]).toMatch(/./);
    expect(headers["content-type"]).toBe("text/plain");
    expect(headers[client.header("Message-Id").toLowerCase()]).toBe(answer.messageId);
    expect(headers[client.header("Retried").toLowerCase()]).toBe("0");
  });

  test("success is 2xx; any other status is a failed attempt", async () => {
    const label = client.label();
    const headers = { [client.header("Retries")]: "0", [client.header("Label")]: label };
    const statuses = [200, 201, 204, 299, 302, 400, 404, 500];
    const answers = (await client.published(
      statuses.map((status) => ({ destination: client.at(`/status/${status}`), headers })),
    )) as { messageId: string }[];
    const failing = answers.slice(4).map(({ messageId }) => messageId);
    const records = await client.untilListed(label, failing);
    expect(records.map((record) => record["responseStatus"])).toEqual([302, 400, 404, 500]);
    expect(await client.ids({ label })).toHaveLength(4);
  });

  test("489 with the NonRetryable-Error header goes to the DLQ without a further attempt", async () => {
    const name = client.fresh("489");
    const destination = client.at(`/keep/${name}/489?${client.header("NonRetryable-Error")}=true`);
    const [record] = await client.dead([{ destination, headers: { [client.header("Retries")]: "3" } }]);
    expect(record).toMatchObject({ responseStatus: 489, maxRetries: 3 });
    expect(await client.kept(name, 1)).toHaveLength(1);
  });

  test("a queue delivers in order, and a message that is retried holds up those after it", async () => {
    const name = client.fresh("queue");
    const queue = client.queue();
    const label = client.label();
    const headers = { [client.header("Label")]: label };
    const good = { destination: client.at(`/keep/${name}/200?delayMs=30`), queue, headers };
    const [, poison] = (await client.published([
      { ...good, body: "1" },
      {
        destination: client.at(`/keep/${name}/500`),
        queue,
        body: "2",
        headers: { ...headers, [client.header("Retries")]: "1" },
      },
      { ...good, body: "3" },
      { ...good, body: "4" },
    ])) as { messageId: string }[];
    await client.untilListed(label, [poison!.messageId]);
    const kept = await client.kept(name, 5);
    expect(kept.map(({ body }) => body)).toEqual(["1", "2", "2", "3", "4"]);
    expect(overlaps(kept)).toEqual([]);
  });

  test("a destination that does not answer HTTP leaves a record without a status", async () => {
    // RFC 6761 promises that this name never resolves.
    const [record] = await client.dead([{ destination: "http://nobody.invalid/" }]);
    expect(record!["responseStatus"] ?? 0).toBe(0);
  });
});

test("an unknown path answers 404 with an error", async () => {
  expect(await client.call("GET", "/v2/nothing-of-that-name")).toMatchObject(refusal(404));
});
