import type { Client } from "@upstash/qstash";
import { describe, expect, test } from "vitest";
import type { SeedRecord } from "../../../emulator/index.ts";
import { failing, useOfficialClient } from "../../../../test/support/official-client.ts";

const stand = useOfficialClient();
const messageId = expect.stringMatching(/^msg_/) as string;
const paths = (): string[] => stand.receiver.deliveries.map(({ path }) => path).toSorted();

const letters: readonly SeedRecord[] = [
  { dlqId: "1000-0", messageId: "msg_a", url: "http://127.0.0.1:1/a,b", responseStatus: 500, label: "red" },
  { dlqId: "2000-0", topicName: "g", endpointName: "e", responseStatus: 404, labels: ["red", "blue"] },
  { dlqId: "3000-0", queueName: "q", scheduleId: "s1", callerIP: "10.0.0.1", responseStatus: 500 },
  { dlqId: "4000-0", queueName: "p", scheduleId: "s2", callerIP: "10.0.0.2", flowControlKey: "k" },
  { dlqId: "5000-0", topicName: "h", flowControlKey: "l", rate: 5, period: 60, url: "http://127.0.0.1:1/c" },
];
const byTheClient = [
  [{ messageId: "msg_a" }, ["1000-0"]],
  [{ url: "http://127.0.0.1:1/a,b" }, ["1000-0"]],
  [{ url: ["http://127.0.0.1:1/a,b", "http://127.0.0.1:1/c"] }, ["1000-0", "5000-0"]],
  [{ urlGroup: "g" }, ["2000-0"]],
  [{ urlGroup: ["g", "h"] }, ["2000-0", "5000-0"]],
  [{ scheduleId: "s1" }, ["3000-0"]],
  [{ scheduleId: ["s1", "s2"] }, ["3000-0", "4000-0"]],
  [{ queueName: "q" }, ["3000-0"]],
  [{ queueName: ["q", "p"] }, ["3000-0", "4000-0"]],
  [{ callerIp: "10.0.0.1" }, ["3000-0"]],
  [{ callerIp: ["10.0.0.1", "10.0.0.2"] }, ["3000-0", "4000-0"]],
  [{ label: "blue" }, ["2000-0"]],
  [{ label: ["red", "green"] }, ["1000-0", "2000-0"]],
  [{ flowControlKey: "k" }, ["4000-0"]],
  [{ flowControlKey: ["k", "l"] }, ["4000-0", "5000-0"]],
  [{ responseStatus: 404 }, ["2000-0"]],
  [{ responseStatus: [404, 500], label: "red" }, ["1000-0", "2000-0"]],
  [{ fromDate: 4000 }, ["4000-0", "5000-0"]],
  [{ fromDate: new Date(2000), toDate: new Date(3000) }, ["2000-0", "3000-0"]],
  [{ toDate: 1000 }, ["1000-0"]],
  [{ api: "ignored", queueName: "q" }, ["3000-0"]],
] as const;
type ClientFilter = NonNullable<NonNullable<Parameters<Client["dlq"]["listMessages"]>[0]>["filter"]>;
const filters = byTheClient.map(([filter, dlqIds]) => [filter as unknown as ClientFilter, dlqIds] as const);

async function ids(options?: Parameters<Client["dlq"]["listMessages"]>[0]): Promise<string[]> {
  return (await stand.client.dlq.listMessages(options)).messages.map(({ dlqId }) => dlqId);
}

describe("the DLQ", () => {
  test.each(filters)("lists by %j", async (filter, dlqIds) => {
    stand.emulator.dlq.seed(letters);
    expect(await ids({ filter })).toEqual(dlqIds);
  });

  test("lists all, by ids, and page by page", async () => {
    stand.emulator.dlq.seed(letters);
    const all = letters.map(({ dlqId }) => dlqId);
    expect(await ids()).toEqual(all);
    expect(await ids({ dlqIds: "2000-0" })).toEqual(["2000-0"]);
    expect(await ids({ dlqIds: ["2000-0", "5000-0", "9-9"] })).toEqual(["2000-0", "5000-0"]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await stand.client.dlq.listMessages({
        count: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.messages.map(({ dlqId }) => dlqId));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(seen).toEqual(all);
    const [grouped] = (await stand.client.dlq.listMessages({ filter: { urlGroup: "h" } })).messages;
    expect(grouped).toMatchObject({ urlGroup: "h", topicName: "h", ratePerSecond: 5, rate: 5, period: 60 });
  });

  test.each(filters)("deletes by %j and nothing else", async (filter, dlqIds) => {
    stand.emulator.dlq.seed(letters);
    const request = { filter } as Parameters<Client["dlq"]["delete"]>[0];
    expect((await stand.client.dlq.delete(request)).deleted).toBe(dlqIds.length);
    const left = letters.map(({ dlqId }) => dlqId!).filter((dlqId) => !dlqIds.some((gone) => gone === dlqId));
    expect(await ids()).toEqual(left);
  });

  test.each(["label=%20", "label=+,+", "label=,", "dlqIds=%20", "dlqIds=,,"])(
    "takes %s for a value that no record has, and deletes nothing",
    async (query) => {
      const { dlq, url, token } = stand.emulator;
      dlq.seed([{ dlqId: "1000-0", labels: ["a", ""] }]);
      await fetch(`${url}/v2/dlq?${query}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}` },
      });
      expect(dlq.size).toBe(1);
    },
  );

  test("deletes by id, by ids, and all", async () => {
    stand.emulator.dlq.seed(letters);
    expect(await stand.client.dlq.delete("1000-0")).toEqual({ deleted: 1 });
    expect((await failing(stand.client.dlq.delete("1000-0"))).status).toBe(404);
    expect(await stand.client.dlq.delete(["1000-0", "2000-0"])).toEqual({ deleted: 1 });
    expect(await stand.client.dlq.deleteMany({ dlqIds: ["3000-0"] })).toEqual({ deleted: 1 });
    expect(await stand.client.dlq.delete([])).toEqual({ deleted: 0 });
    expect(await ids()).toEqual(["4000-0", "5000-0"]);
    const first = await stand.client.dlq.delete({ all: true, count: 1 });
    expect(first).toEqual({ deleted: 1, cursor: expect.any(String) });
    expect(await stand.client.dlq.delete({ all: true, cursor: first.cursor! })).toEqual({ deleted: 1 });
    expect(stand.emulator.dlq.size).toBe(0);
  });

  test.each([
    ["an id", "1000-0", ["1000-0"]],
    ["ids", ["1000-0", "3000-0"], ["1000-0", "3000-0"]],
    ["an object of ids", { dlqIds: ["2000-0"] }, ["2000-0"]],
    ["a filter", { filter: { queueName: ["q", "p"] } }, ["3000-0", "4000-0"]],
    ["all", { all: true }, ["1000-0", "2000-0", "3000-0", "4000-0", "5000-0"]],
  ] as const)("retries by %s", async (_name, request, dlqIds) => {
    stand.emulator.dlq.seed(
      letters.map((letter) => ({ ...letter, url: `${stand.receiver.url}/${letter.dlqId}` })),
    );
    const answer = await stand.client.dlq.retry(request as unknown as Parameters<Client["dlq"]["retry"]>[0]);
    expect(answer).toEqual({ cursor: undefined, responses: dlqIds.map(() => ({ messageId })) });
    await stand.emulator.idle();
    expect(paths()).toEqual(dlqIds.map((dlqId) => `/${dlqId}`));
    expect(stand.emulator.dlq.size).toBe(letters.length - dlqIds.length);
    expect((await ids()).some((dlqId) => dlqIds.some((gone) => gone === dlqId))).toBe(false);
  });

  test("retries all in steps, with a cursor while more remain", async () => {
    stand.emulator.dlq.seed(letters.map((letter) => ({ ...letter, url: stand.receiver.url })));
    let retried = 0;
    let cursor: string | undefined;
    do {
      const step = await stand.client.dlq.retry({
        all: true,
        count: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      retried += step.responses.length;
      ({ cursor } = step);
    } while (cursor !== undefined);
    expect(retried).toBe(letters.length);
    expect(await stand.client.dlq.retry([])).toEqual({ responses: [] });
  });

  test("says that a record to be retried is gone", async () => {
    expect((await failing(stand.client.dlq.retry("1000-0"))).status).toBe(404);
  });
});
