import { beforeAll, describe, expect, test } from "vitest";
import {
  read,
  search,
  refusal,
  usePlainClient,
  type Listed,
  type PlainAnswer,
  type Query,
} from "../../support/plain-client.ts";
import { testTimeoutMs, type StatisticsUnderTest } from "../../support/service-under-test.ts";

const client = await usePlainClient();
let record: Listed;
let kept: string;
beforeAll(async () => {
  [record] = (await client.dead([{}])) as [Listed];
  kept = client.fresh("unauthorized");
}, testTimeoutMs);

const on = (method: string, query: Query, headers: Record<string, string>) =>
  client.call(method, `/v2/dlq${search(query)}`, { headers });

const operations: [string, (headers: Record<string, string>) => Promise<PlainAnswer>][] = [
  [
    "Batch publish",
    (headers) =>
      client.call("POST", "/v2/batch", {
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify([{ destination: client.at(`/keep/${kept}/200`), body: "unauthorized" }]),
      }),
  ],
  ["DLQ list", (headers) => on("GET", { messageId: record.messageId }, headers)],
  ["DLQ bulk delete", (headers) => on("DELETE", { dlqIds: record.dlqId }, headers)],
];

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What every part of the message API must refuse. */
const wrongBearers = (): [string, Record<string, string>][] => {
  const { token } = client.service;
  return [
    ["no header", {}],
    ["an empty header", { Authorization: "" }],
    ["another token", { Authorization: "Bearer wrong" }],
    ["the token with more", { Authorization: `Bearer ${token}x` }],
    ["the token with less", { Authorization: `Bearer ${token.slice(0, -1)}` }],
    ["no token", { Authorization: "Bearer" }],
    ["an empty token", { Authorization: "Bearer " }],
    ["the bare token", { Authorization: token }],
    ["Basic with the token", { Authorization: `Basic ${token}` }],
    ["Basic with the token encoded", { Authorization: `Basic ${base64(`:${token}`)}` }],
  ];
};

describe("5 authentication", { timeout: testTimeoutMs }, () => {
  test.each(operations)(
    "Batch publish, DLQ list, DLQ bulk delete: %s without the right token answers 401 with an error and does nothing",
    async (_, operation) => {
      for (const [what, headers] of wrongBearers()) {
        const answer = await operation(headers);
        expect(answer, what).toMatchObject(refusal(401));
      }
      expect(await client.ids({ messageId: record.messageId })).toEqual([record.dlqId]);
      await client.published([{ destination: client.at(`/keep/${kept}/200`), body: "authorized" }]);
      expect((await client.kept(kept, 1)).filter(({ body }) => body !== "authorized")).toEqual([]);
    },
  );

  test("Search index statistics: without the right credentials answers 401 with code and message", async () => {
    const { stats } = client.service;
    const [username = "", password = ""] = stats.credentials.split(":");
    const wrong: [string, Record<string, string>][] = [
      ["no header", {}],
      ["another password", { Authorization: `Basic ${base64(`${username}:wrong`)}` }],
      ["another username", { Authorization: `Basic ${base64(`wrong:${password}`)}` }],
      ["no colon", { Authorization: `Basic ${base64(username + password)}` }],
      ["not encoded", { Authorization: `Basic ${stats.credentials}` }],
      ["nothing encoded", { Authorization: "Basic " }],
      ["Bearer with the credentials", { Authorization: `Bearer ${base64(stats.credentials)}` }],
      ["Bearer with the token", { Authorization: `Bearer ${client.service.token}` }],
    ];
    for (const [what, headers] of wrong) {
      const answer = await statistics(stats, headers);
      expect(answer, what).toMatchObject({
        status: 401,
        body: { code: expect.anything() as unknown, message: expect.any(String) as unknown },
      });
    }
  });
});

async function statistics(stats: StatisticsUnderTest, headers: Record<string, string>): Promise<PlainAnswer> {
  return read(await fetch(`${stats.url}/v2/search/${encodeURIComponent(stats.index)}/stats`, { headers }));
}
