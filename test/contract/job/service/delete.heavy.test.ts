import { describe, expect, test } from "vitest";
import { skipLoudly, refusal, usePlainClient, type Item, type Query } from "../../../support/plain-client.ts";
import { testTimeoutMs } from "../../../support/service-under-test.ts";

const client = await usePlainClient();

/** Records of one test; nobody else's carry the label. */
async function letters(items: readonly Item[]): Promise<{ label: string; ids: string[] }> {
  const label = client.label();
  const records = await client.dead(items, label);
  return { label, ids: records.map(({ dlqId }) => dlqId) };
}

/** Each with a flow control key of its own. */
const flows = (count: number) => (): readonly Item[] =>
  Array.from({ length: count }, () => ({
    headers: {
      [client.header("Flow-Control-Key")]: client.fresh("flow"),
      [client.header("Flow-Control-Value")]: "parallelism=10",
    },
  }));

const failingAt = (path: string): Item => ({ destination: client.at(`/status/${path}`) });

const plain = (count: number) => () => Array.from({ length: count }, (): Item => ({}));
const failing =
  (...paths: readonly string[]) =>
  () =>
    paths.map(failingAt);
const queued = () => [{ queue: client.queue() }, { queue: client.queue() }, {}];
const grouped = async () => [
  { destination: await client.urlGroup([{ url: client.at("/status/500/group") }]) },
  {},
];
/** The values of a field of the letters with these indexes. */
type Of = (field: string, ...indexes: readonly number[]) => readonly string[];
const enteredAt = (of: Of) => Number(of("dlqId", 0)[0]!.split("-")[0]);

const deleted = (count: number): unknown =>
  expect.objectContaining({ status: 200, body: expect.objectContaining({ deleted: count }) as unknown });

describe("4.3 response", { timeout: testTimeoutMs }, () => {
  test("Method and path: DELETE {base_url}/v2/dlq answers 200 with application/json", async () => {
    const { ids } = await letters([{}]);
    const { status, contentType } = await client.delete({ dlqIds: ids });
    expect(status).toBe(200);
    expect(contentType).toMatch(/^application\/json/);
  });

  test("cursor: present when more messages remain, absent when the end is reached", async () => {
    const { label } = await letters([{}, {}, {}]);
    const first = (await client.delete({ label, count: 2 })).body as { cursor?: string };
    expect(first.cursor).toMatch(/./);
    const last = (await client.delete({ label, count: 2, cursor: first.cursor })).body;
    expect(last).toMatchObject({ deleted: 1 });
    expect((last as { cursor?: string }).cursor ?? "").toBe("");
    expect(await client.ids({ label })).toEqual([]);
  });

  test("deleted: number of messages deleted, lower than asked where some are gone already", async () => {
    const { label, ids } = await letters([{}, {}, {}]);
    expect(await client.delete({ dlqIds: ids[0]! })).toEqual(deleted(1));
    expect(await client.delete({ dlqIds: ids })).toEqual(deleted(2));
    expect(await client.delete({ dlqIds: ids })).toEqual(deleted(0));
    expect(await client.ids({ label })).toEqual([]);
  });
});

describe("4.3 query parameters", { timeout: testTimeoutMs }, () => {
  test("dlqIds, repeatable: DLQ identifiers to delete, and nothing else", async () => {
    const { label, ids } = await letters([{}, {}, {}, {}]);
    expect(await client.delete({ dlqIds: [ids[0]!, ids[2]!] })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[1]!, ids[3]!].toSorted());
  });

  test("dlqIds, comma-separated: equivalent to repeating", async () => {
    const { label, ids } = await letters([{}, {}, {}]);
    expect(await client.delete({ dlqIds: `${ids[0]!},${ids[1]!}` })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[2]!]);
  });

  test("dlqIds: when given, all other filters are ignored", async () => {
    const { label, ids } = await letters([{}, {}]);
    expect(
      await client.delete({
        dlqIds: ids[0]!,
        label: client.fresh("unused"),
        responseStatus: 418,
        toDate: 1,
        queueName: client.fresh("unused"),
      }),
    ).toEqual(deleted(1));
    expect(await client.ids({ label })).toEqual([ids[1]!]);
    expect(await client.delete({ dlqIds: "1-0", label })).toEqual(deleted(0));
    expect(await client.ids({ label })).toEqual([ids[1]!]);
  });

  test("dlqIds: a messageId is none", async () => {
    const label = client.label();
    const [record] = await client.dead([{}], label);
    const { status, body } = await client.delete({ dlqIds: record!.messageId });
    expect(status === 400 || (body as { deleted: number }).deleted === 0).toBe(true);
    expect(await client.ids({ label })).toEqual([record!.dlqId]);
  });

  test("flowControlKey: filter by flow control key, needs no other filter", async () => {
    const { label, ids } = await letters([...flows(2)(), {}]);
    const records = await client.listed({ label });
    const key = records.find(({ dlqId }) => dlqId === ids[0])!["flowControlKey"] as string;
    expect(await client.delete({ flowControlKey: key })).toEqual(deleted(1));
    expect(await client.ids({ label })).toEqual([ids[1]!, ids[2]!].toSorted());
  });

  test("count: number of messages to delete", async () => {
    const { label } = await letters([{}, {}, {}, {}, {}]);
    expect(await client.delete({ label, count: 2 })).toEqual(deleted(2));
    expect(await client.ids({ label })).toHaveLength(3);
    expect(await client.delete({ label, count: 100 })).toEqual(deleted(3));
  });

  test("cursor: goes on after what the previous call looked at", async () => {
    const { label } = await letters([{}, {}, {}, {}]);
    const page = await client.page({ label, count: 2 });
    expect(await client.delete({ label, cursor: page.cursor })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual(page.messages.map(({ dlqId }) => dlqId).toSorted());
  });

  test.each<[string, () => Promise<readonly Item[]> | readonly Item[], (of: Of) => Query, readonly number[]]>(
    [
      ["messageId: filter by message ID", plain(2), (of) => ({ messageId: of("messageId", 0) }), [1]],
      ["url, repeatable", failing("500/a", "500/b", "500/c"), (of) => ({ url: of("url", 0, 1) }), [2]],
      ["topicName, repeatable", grouped, (of) => ({ topicName: [...of("topicName", 0), "another"] }), [1]],
      ["scheduleId, repeatable: of no message", plain(1), () => ({ scheduleId: ["scd_a", "scd_b"] }), [0]],
      ["queueName, repeatable", queued, (of) => ({ queueName: of("queueName", 0, 1) }), [2]],
      ["flowControlKey, repeatable", flows(3), (of) => ({ flowControlKey: of("flowControlKey", 0, 2) }), [1]],
      [
        "flowControlKey, in one",
        flows(2),
        (of) => ({ flowControlKey: String(of("flowControlKey", 0, 1)) }),
        [],
      ],
      ["fromDate: later than all", plain(1), (of) => ({ fromDate: enteredAt(of) + 1 }), [0]],
      ["fromDate: inclusive lower bound", plain(1), (of) => ({ fromDate: enteredAt(of) }), []],
      ["toDate: earlier than all", plain(1), (of) => ({ toDate: enteredAt(of) - 1 }), [0]],
      ["toDate: inclusive upper bound", plain(1), (of) => ({ toDate: enteredAt(of) }), []],
      [
        "responseStatus, repeatable",
        failing("500", "503", "404"),
        () => ({ responseStatus: [503, 404] }),
        [0],
      ],
      ["responseStatus, in one", failing("500", "503", "404"), () => ({ responseStatus: "500,503" }), [2]],
      ["callerIp: of another", plain(1), () => ({ callerIp: "192.0.2.1" }), [0]],
      ["callerIp, repeatable", plain(1), (of) => ({ callerIp: ["192.0.2.1", ...of("callerIP", 0)] }), []],
    ],
  )("%s", async (_, items, query, stay) => {
    const label = client.label();
    const records = await client.dead(await items(), label);
    const of: Of = (field, ...indexes) => indexes.map((index) => String(records[index]![field]));
    expect(await client.delete({ label, ...query(of) })).toEqual(deleted(records.length - stay.length));
    expect(await client.ids({ label })).toEqual(stay.map((index) => records[index]!.dlqId));
  });

  test("scheduleId, repeatable: filter by schedule ID deletes its messages", async (context) => {
    const { controlUrl } = client.service;
    if (controlUrl === undefined) skipLoudly(context, "a schedule would have to run first");
    const label = client.label();
    const scheduleId = client.fresh("scd");
    const records = [{ scheduleId }, {}].map((record) => ({ ...record, label, labels: [label] }));
    const answer = await fetch(`${controlUrl}/_control/dlq`, {
      method: "POST",
      body: JSON.stringify({ records }),
    });
    const { dlqIds } = (await answer.json()) as { dlqIds: string[] };
    expect(await client.delete({ label, scheduleId })).toEqual(deleted(1));
    expect(await client.ids({ label })).toEqual([dlqIds[1]]);
  });

  test("label, repeatable: filter by label, any of a message's", async () => {
    const others = [client.fresh("own"), client.fresh("own"), client.fresh("own")];
    const { label, ids } = await letters(
      others.map((other) => ({ headers: { [client.header("Label")]: other } })),
    );
    expect(await client.delete({ label: [others[0]!, others[2]!] })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[1]!]);
  });

  test.each(["fromDate", "toDate", "responseStatus", "count"])(
    "%s: a malformed number is refused with 400 and an error, and nothing is deleted",
    async (name) => {
      const { label, ids } = await letters([{}]);
      for (const value of ["abc", "1x", "1.5", "NaN", "0x10", "1e3"]) {
        const answer = await client.delete({ label, [name]: value });
        expect(answer, value).toMatchObject(refusal());
      }
      expect(await client.ids({ label })).toEqual(ids);
    },
  );

  test("any other name: refused with 400 and an error, and nothing is deleted", async () => {
    const { label, ids } = await letters([{}]);
    for (const name of ["dlqId", "DlqIds", "flowcontrolkey", "limit", "all", "order"]) {
      const answer = await client.delete({ label, [name]: ids[0]! });
      expect(answer, name).toMatchObject(refusal());
    }
    expect(await client.ids({ label })).toEqual(ids);
  });
});

describe("4.3 filter rules", { timeout: testTimeoutMs }, () => {
  test("OR inside a filter, AND across filters", async () => {
    const queue = client.queue();
    const { label, ids } = await letters([
      { destination: client.at("/status/500") },
      { destination: client.at("/status/503") },
      { destination: client.at("/status/503"), queue },
      { destination: client.at("/status/404"), queue },
    ]);
    expect(await client.delete({ label, queueName: queue, responseStatus: [500, 503] })).toEqual(deleted(1));
    expect(await client.ids({ label })).toEqual([ids[0]!, ids[1]!, ids[3]!].toSorted());
  });
});
