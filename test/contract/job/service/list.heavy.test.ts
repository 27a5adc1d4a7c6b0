import { beforeAll, describe, expect, test } from "vitest";
import {
  skipLoudly,
  refusal,
  usePlainClient,
  type Listed,
  type Query,
} from "../../../support/plain-client.ts";
import { testTimeoutMs } from "../../../support/service-under-test.ts";

const client = await usePlainClient();
/** The label of all five records of this file. */
let label: string;
let labels: readonly string[];
let queues: readonly string[];
let groups: readonly string[];
/**
 * 0 and 1: URLs of their own, 500 and 503; 2 and 3: queues, 404 and 500; 4 and 5: URL Groups, 503 and 500.
 */
let records: readonly Listed[];
const all = [0, 1, 2, 3, 4, 5];
const own = (...indexes: number[]): string[] => indexes.map((index) => records[index]!.dlqId).toSorted();
const field = (index: number, name: string): string => String(records[index]![name]);

beforeAll(async () => {
  label = client.label();
  labels = Array.from({ length: 6 }, () => client.fresh("own-label"));
  queues = [client.queue(), client.queue()];
  groups = [
    await client.urlGroup([{ url: client.at("/status/503/group-0") }]),
    await client.urlGroup([{ url: client.at("/status/500/group-1") }]),
  ];
  const items = [
    { destination: client.at("/status/500/zero") },
    { destination: client.at("/status/503/one?with=a%2Cb&c=d%20e") },
    { destination: client.at("/status/404/two"), queue: queues[0]! },
    { destination: client.at("/status/500/three"), queue: queues[1]! },
    { destination: groups[0]! },
    { destination: groups[1]! },
  ];
  records = await client.dead(
    items.map((item, index) => ({ ...item, headers: { [client.header("Label")]: labels[index]! } })),
    label,
  );
}, testTimeoutMs);

describe("4.2 response", () => {
  test("Method and path: GET {base_url}/v2/dlq answers 200 with application/json", async () => {
    const { status, contentType } = await client.list({ label });
    expect(status).toBe(200);
    expect(contentType).toMatch(/^application\/json/);
  });

  test("cursor: present when more messages remain, absent when the end is reached", async () => {
    const first = await client.page({ label, count: 4 });
    expect(first.messages).toHaveLength(4);
    expect(first.cursor).toMatch(/./);
    const last = await client.page({ label, count: 4, cursor: first.cursor });
    expect(last.messages).toHaveLength(2);
    expect(last.cursor).toBeUndefined();
    expect([...first.messages, ...last.messages].map(({ dlqId }) => dlqId).toSorted()).toEqual(own(...all));
  });

  test("cursor: absent from a page that holds exactly all", async () => {
    const page = await client.page({ label, count: 6 });
    expect(page.messages).toHaveLength(6);
    expect(page.cursor).toBeUndefined();
  });

  test("messages: array of DLQ messages, empty when nothing matches", async () => {
    expect(await client.listed({ label })).toHaveLength(6);
    expect(await client.listed({ label: client.fresh("unused") })).toEqual([]);
  });
});

describe("4.2 query parameters", () => {
  test("cursor: gives the next page, also one message at a time", async () => {
    expect(await client.ids({ label, count: 1 })).toEqual(own(...all));
  });

  test.each<[row: string, query: () => Query, found: readonly number[]]>([
    ["messageId: filter by message ID", () => ({ label, messageId: field(3, "messageId") }), [3]],
    ["messageId: alone", () => ({ messageId: field(3, "messageId") }), [3]],
    ["messageId: unknown", () => ({ label, messageId: "msg_unknown" }), []],
    ["url: filter by destination URL", () => ({ label, url: field(0, "url") }), [0]],
    ["url, repeatable", () => ({ label, url: [field(0, "url"), field(4, "url")] }), [0, 4]],
    ["url: a part of one", () => ({ label, url: client.at("/status/500") }), []],
    ["url: with an encoded comma", () => ({ label, url: field(1, "url") }), [1]],
    ["topicName: filter by URL Group name", () => ({ label, topicName: groups[0] }), [4]],
    ["topicName, repeatable", () => ({ label, topicName: groups }), [4, 5]],
    ["topicName: unknown", () => ({ label, topicName: client.fresh("unused") }), []],
    ["scheduleId: of no message", () => ({ label, scheduleId: "scd_unknown" }), []],
    ["scheduleId, repeatable: of no message", () => ({ label, scheduleId: ["scd_a", "scd_b"] }), []],
    ["queueName: filter by queue name", () => ({ label, queueName: queues[0] }), [2]],
    ["queueName, repeatable", () => ({ label, queueName: queues }), [2, 3]],
    ["queueName: unknown", () => ({ label, queueName: client.fresh("unused") }), []],
    ["responseStatus: of the last delivery attempt", () => ({ label, responseStatus: 404 }), [2]],
    ["responseStatus, repeatable", () => ({ label, responseStatus: [404, 503] }), [1, 2, 4]],
    ["responseStatus: of none", () => ({ label, responseStatus: 418 }), []],
    ["callerIp: of the publisher", () => ({ label, callerIp: field(0, "callerIP") }), all],
    ["callerIp: of another", () => ({ label, callerIp: "192.0.2.1" }), []],
    ["callerIp, repeatable", () => ({ label, callerIp: ["192.0.2.1", field(0, "callerIP")] }), all],
    ["label: of all", () => ({ label }), all],
    ["label: any of a message's", () => ({ label: labels[1] }), [1]],
    ["label, repeatable", () => ({ label: [labels[1]!, labels[5]!] }), [1, 5]],
  ])("%s", async (_, query, found) => {
    expect(await client.ids(query())).toEqual(own(...found));
  });

  test("url: a URL with a comma of its own is found", async () => {
    const withComma = client.at("/status/500/a,b");
    const [record] = await client.dead([{ destination: withComma }]);
    expect(await client.ids({ url: withComma })).toEqual([record!.dlqId]);
  });

  test("scheduleId, repeatable: filter by schedule ID finds its messages", async (context) => {
    const { controlUrl } = client.service;
    if (controlUrl === undefined) skipLoudly(context, "a schedule would have to run first");
    const own = client.label();
    const schedules = [client.fresh("scd"), client.fresh("scd"), client.fresh("scd")];
    const answer = await fetch(`${controlUrl}/_control/dlq`, {
      method: "POST",
      body: JSON.stringify({
        records: schedules.map((scheduleId) => ({ scheduleId, label: own, labels: [own] })),
      }),
    });
    const { dlqIds } = (await answer.json()) as { dlqIds: string[] };
    expect(await client.ids({ label: own, scheduleId: schedules[1]! })).toEqual([dlqIds[1]]);
    expect(await client.ids({ label: own, scheduleId: schedules.slice(1) })).toEqual(
      dlqIds.slice(1).toSorted(),
    );
  });

  test("fromDate: Unix milliseconds, inclusive lower bound on the moment of entry, which dlqId begins with", async () => {
    const enteredAt = records.map(({ dlqId }) => Number(dlqId.split("-")[0]));
    const last = Math.max(...enteredAt);
    const latest = records.filter((_, index) => enteredAt[index] === last).map(({ dlqId }) => dlqId);
    expect(await client.ids({ label, fromDate: last })).toEqual(latest.toSorted());
    expect(await client.ids({ label, fromDate: last + 1 })).toEqual([]);
    expect(await client.ids({ label, fromDate: 0 })).toEqual(own(...all));
  });

  test("toDate: Unix milliseconds, inclusive upper bound on the moment of entry, which dlqId begins with", async () => {
    const enteredAt = records.map(({ dlqId }) => Number(dlqId.split("-")[0]));
    const first = Math.min(...enteredAt);
    const earliest = records.filter((_, index) => enteredAt[index] === first).map(({ dlqId }) => dlqId);
    expect(await client.ids({ label, toDate: first })).toEqual(earliest.toSorted());
    expect(await client.ids({ label, toDate: first - 1 })).toEqual([]);
  });

  test(
    "fromDate, toDate: look at the moment of entry, not at createdAt",
    { timeout: testTimeoutMs },
    async () => {
      const late = client.label();
      const [record] = await client.dead([{ headers: { [client.header("Delay")]: "1s" } }], late);
      const enteredAt = Number(record!.dlqId.split("-")[0]);
      const createdAt = Number(record!["createdAt"]);
      expect(enteredAt).toBeGreaterThan(createdAt + 900);
      expect(await client.ids({ label: late, fromDate: createdAt + 1 })).toEqual([record!.dlqId]);
      expect(await client.ids({ label: late, toDate: enteredAt - 1 })).toEqual([]);
      expect(await client.ids({ label: late, fromDate: enteredAt, toDate: enteredAt })).toEqual([
        record!.dlqId,
      ]);
    },
  );

  test("count: number of messages to return", async () => {
    for (const count of [1, 2, 5, 6, 7, 100]) {
      const { messages } = await client.page({ label, count });
      expect(messages, `count=${count}`).toHaveLength(Math.min(count, 6));
    }
  });

  test.each(["fromDate", "toDate", "responseStatus", "count"])(
    "%s: a malformed number is refused with 400 and an error",
    async (name) => {
      for (const value of ["abc", "1x", "1.5", "NaN", "0x10", "1e3", "--1"]) {
        const answer = await client.list({ label, [name]: value });
        expect(answer, value).toMatchObject(refusal());
      }
    },
  );

  test("any other name: refused with 400 and an error, also the two parameters of the earlier form", async () => {
    for (const name of ["limit", "Label", "order", "earliestFirst", "api", "messageID", "labels"]) {
      const answer = await client.list({ label, [name]: "1" });
      expect(answer, name).toMatchObject(refusal());
    }
  });
});

describe("4.2 filter rules", () => {
  test("1: for a repeatable filter, a message matches when its value equals any given value", async () => {
    expect(await client.ids({ label: [labels[0]!, labels[2]!, client.fresh("unused")] })).toEqual(own(0, 2));
    expect(await client.ids({ label, queueName: [client.fresh("unused"), queues[1]!] })).toEqual(own(3));
  });

  test("1: equals, so a part of the value or another case does not match", async () => {
    expect(await client.ids({ label: label.slice(0, -1) })).toEqual([]);
    expect(await client.ids({ label: label.toUpperCase() })).toEqual([]);
    expect(await client.ids({ label, queueName: `${queues[0]!}x` })).toEqual([]);
  });

  test("2: different filters combine with AND", async () => {
    expect(await client.ids({ label, responseStatus: 500 })).toEqual(own(0, 3, 5));
    expect(await client.ids({ label, responseStatus: 500, queueName: queues[1]! })).toEqual(own(3));
    expect(await client.ids({ label, responseStatus: 500, queueName: queues[0]! })).toEqual([]);
    expect(await client.ids({ label: labels[0]!, messageId: field(1, "messageId") })).toEqual([]);
  });

  test("3: repeating the parameter and one comma-separated value are equivalent", async () => {
    const filters: [string, (string | number)[], string[]][] = [
      ["label", [labels[0]!, labels[4]!], own(0, 4)],
      ["url", [field(0, "url"), field(2, "url")], own(0, 2)],
      ["topicName", [...groups], own(4, 5)],
      ["queueName", [...queues], own(2, 3)],
      ["responseStatus", [404, 503], own(1, 2, 4)],
      ["callerIp", ["192.0.2.1", field(0, "callerIP")], own(...all)],
      ["scheduleId", ["scd_a", "scd_b"], []],
    ];
    for (const [name, values, expected] of filters) {
      const scope = name === "label" ? {} : { label };
      expect(await client.ids({ ...scope, [name]: values }), `${name} repeated`).toEqual(expected);
      expect(await client.ids({ ...scope, [name]: values.join(",") }), `${name} in one`).toEqual(expected);
    }
  });

  test("3: both forms can be mixed", async () => {
    expect(await client.ids({ label: [`${labels[0]!},${labels[1]!}`, labels[2]!] })).toEqual(own(0, 1, 2));
  });
});
