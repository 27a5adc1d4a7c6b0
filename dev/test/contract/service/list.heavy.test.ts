import { beforeAll, describe, expect, test } from "vitest";
import { refusal, usePlainClient, type Listed } from "../../support/plain-client.ts";
import { testTimeoutMs } from "../../support/service-under-test.ts";

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
  test("cursor: absent from a page that holds exactly all", async () => {
    const page = await client.page({ label, count: 6 });
    expect(page.messages).toHaveLength(6);
    expect(page.cursor).toBeUndefined();
  });
});

describe("4.2 query parameters", () => {
  test("cursor: gives the next page, also one message at a time", async () => {
    expect(await client.ids({ label, count: 1 })).toEqual(own(...all));
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
  test("1: equals, so a part of the value or another case does not match", async () => {
    expect(await client.ids({ label: label.slice(0, -1) })).toEqual([]);
    expect(await client.ids({ label: label.toUpperCase() })).toEqual([]);
    expect(await client.ids({ label, queueName: `${queues[0]!}x` })).toEqual([]);
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
