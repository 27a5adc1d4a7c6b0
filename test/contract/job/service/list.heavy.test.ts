import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  skipLoudly,
  startPlainClient,
  type Listed,
  type PlainClient,
} from "../../../support/plain-client.ts";
import { testTimeoutMs } from "../../../support/service-under-test.ts";

let client: PlainClient;
let stop: () => Promise<void>;
/** The label of all five records of this file. */
let label: string;
let labels: readonly string[];
let queues: readonly string[];
let groups: readonly string[];
/**
 * 0 and 1: URLs of their own, 500 and 503; 2 and 3: queues, 404 and 500; 4 and 5: URL Groups, 503 and 500.
 */
let records: readonly Listed[];
const own = (...indexes: number[]): string[] => indexes.map((index) => records[index]!.dlqId).toSorted();
const field = (index: number, name: string): string => String(records[index]![name]);

beforeAll(async () => {
  ({ client, stop } = await startPlainClient());
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
afterAll(() => stop(), testTimeoutMs);

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
    expect([...first.messages, ...last.messages].map(({ dlqId }) => dlqId).toSorted()).toEqual(
      own(0, 1, 2, 3, 4, 5),
    );
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
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.page({ label, count: 1, cursor });
      expect(page.messages).toHaveLength(1);
      seen.push(page.messages[0]!.dlqId);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(own(0, 1, 2, 3, 4, 5));
  });

  test("messageId: filter by message ID", async () => {
    expect(await client.ids({ label, messageId: field(3, "messageId") })).toEqual(own(3));
    expect(await client.ids({ messageId: field(3, "messageId") })).toEqual(own(3));
    expect(await client.ids({ label, messageId: "msg_unknown" })).toEqual([]);
  });

  test("url, repeatable: filter by destination URL", async () => {
    expect(await client.ids({ label, url: field(0, "url") })).toEqual(own(0));
    expect(await client.ids({ label, url: [field(0, "url"), field(4, "url")] })).toEqual(own(0, 4));
    expect(await client.ids({ label, url: client.at("/status/500") })).toEqual([]);
  });

  test("url: a URL with a comma of its own is found", async () => {
    expect(await client.ids({ label, url: field(1, "url") })).toEqual(own(1));
    const withComma = client.at("/status/500/a,b");
    const [record] = await client.dead([{ destination: withComma }]);
    expect(await client.ids({ url: withComma })).toEqual([record!.dlqId]);
  });

  test("topicName, repeatable: filter by URL Group name", async () => {
    expect(await client.ids({ label, topicName: groups[0]! })).toEqual(own(4));
    expect(await client.ids({ label, topicName: [...groups] })).toEqual(own(4, 5));
    expect(await client.ids({ label, topicName: client.fresh("unused") })).toEqual([]);
  });

  test("scheduleId, repeatable: filter by schedule ID finds no message without one", async () => {
    expect(await client.ids({ label, scheduleId: "scd_unknown" })).toEqual([]);
    expect(await client.ids({ label, scheduleId: ["scd_a", "scd_b"] })).toEqual([]);
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

  test("queueName, repeatable: filter by queue name", async () => {
    expect(await client.ids({ label, queueName: queues[0]! })).toEqual(own(2));
    expect(await client.ids({ label, queueName: [...queues] })).toEqual(own(2, 3));
    expect(await client.ids({ label, queueName: client.fresh("unused") })).toEqual([]);
  });

  test("fromDate: Unix milliseconds, inclusive lower bound on the moment of entry, which dlqId begins with", async () => {
    const enteredAt = records.map(({ dlqId }) => Number(dlqId.split("-")[0]));
    const last = Math.max(...enteredAt);
    const latest = records.filter((_, index) => enteredAt[index] === last).map(({ dlqId }) => dlqId);
    expect(await client.ids({ label, fromDate: last })).toEqual(latest.toSorted());
    expect(await client.ids({ label, fromDate: last + 1 })).toEqual([]);
    expect(await client.ids({ label, fromDate: 0 })).toEqual(own(0, 1, 2, 3, 4, 5));
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

  test("responseStatus, repeatable: filter by HTTP status code of the last delivery attempt", async () => {
    expect(await client.ids({ label, responseStatus: 404 })).toEqual(own(2));
    expect(await client.ids({ label, responseStatus: [404, 503] })).toEqual(own(1, 2, 4));
    expect(await client.ids({ label, responseStatus: 418 })).toEqual([]);
  });

  test("callerIp, repeatable: filter by publisher IP address", async () => {
    const ours = field(0, "callerIP");
    expect(await client.ids({ label, callerIp: ours })).toEqual(own(0, 1, 2, 3, 4, 5));
    expect(await client.ids({ label, callerIp: "192.0.2.1" })).toEqual([]);
    expect(await client.ids({ label, callerIp: ["192.0.2.1", ours] })).toHaveLength(6);
  });

  test("label, repeatable: filter by label, any of a message's", async () => {
    expect(await client.ids({ label })).toEqual(own(0, 1, 2, 3, 4, 5));
    expect(await client.ids({ label: labels[1]! })).toEqual(own(1));
    expect(await client.ids({ label: [labels[1]!, labels[5]!] })).toEqual(own(1, 5));
  });

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
        expect(answer, value).toMatchObject({ status: 400, body: { error: expect.any(String) as unknown } });
      }
    },
  );

  test("any other name: refused with 400 and an error, also the two parameters of the earlier form", async () => {
    for (const name of ["limit", "Label", "order", "earliestFirst", "api", "messageID", "labels"]) {
      const answer = await client.list({ label, [name]: "1" });
      expect(answer, name).toMatchObject({ status: 400, body: { error: expect.any(String) as unknown } });
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

  test("1 and 2: OR inside a filter, AND across filters", async () => {
    expect(
      await client.ids({
        label: [labels[1]!, labels[2]!, labels[3]!, labels[4]!],
        responseStatus: [503, 500],
        topicName: [groups[0]!, groups[1]!],
      }),
    ).toEqual(own(4));
  });

  test("3: repeating the parameter and one comma-separated value are equivalent", async () => {
    const filters: [string, (string | number)[], string[]][] = [
      ["label", [labels[0]!, labels[4]!], own(0, 4)],
      ["url", [field(0, "url"), field(2, "url")], own(0, 2)],
      ["topicName", [...groups], own(4, 5)],
      ["queueName", [...queues], own(2, 3)],
      ["responseStatus", [404, 503], own(1, 2, 4)],
      ["callerIp", ["192.0.2.1", field(0, "callerIP")], own(0, 1, 2, 3, 4, 5)],
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
