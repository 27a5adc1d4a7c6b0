import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { skipLoudly, startPlainClient, type Item, type PlainClient } from "../../../support/plain-client.ts";
import { testTimeoutMs } from "../../../support/service-under-test.ts";

let client: PlainClient;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ client, stop } = await startPlainClient());
});
afterAll(() => stop(), testTimeoutMs);

/** Records of one test; nobody else's carry the label. */
async function letters(items: readonly Item[]): Promise<{ label: string; ids: string[] }> {
  const label = client.label();
  const records = await client.dead(items, label);
  return { label, ids: records.map(({ dlqId }) => dlqId) };
}

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

  test("flowControlKey, repeatable: filter by flow control key", async () => {
    const keys = [client.fresh("flow"), client.fresh("flow"), client.fresh("flow")];
    const { label, ids } = await letters(
      [...keys, keys[0]!, undefined].map((key) =>
        key === undefined
          ? {}
          : {
              headers: {
                [client.header("Flow-Control-Key")]: key,
                [client.header("Flow-Control-Value")]: "parallelism=10",
              },
            },
      ),
    );
    expect(await client.delete({ flowControlKey: keys[0]! })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[1]!, ids[2]!, ids[4]!].toSorted());
    expect(await client.delete({ flowControlKey: [keys[1]!, keys[2]!] })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[4]!]);
  });

  test("flowControlKey, comma-separated: equivalent to repeating", async () => {
    const keys = [client.fresh("flow"), client.fresh("flow")];
    const { label } = await letters(
      keys.map((key) => ({
        headers: {
          [client.header("Flow-Control-Key")]: key,
          [client.header("Flow-Control-Value")]: "rate=100",
        },
      })),
    );
    expect(await client.delete({ flowControlKey: keys.join(",") })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([]);
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

  test("messageId: filter by message ID", async () => {
    const label = client.label();
    const [gone, kept] = await client.dead([{}, {}], label);
    expect(await client.delete({ label, messageId: gone!.messageId })).toEqual(deleted(1));
    expect(await client.ids({ label })).toEqual([kept!.dlqId]);
  });

  test("url, repeatable: filter by destination URL", async () => {
    const urls = [client.at("/status/500/a"), client.at("/status/500/b"), client.at("/status/500/c")];
    const { label, ids } = await letters(urls.map((destination) => ({ destination })));
    expect(await client.delete({ label, url: urls.slice(0, 2) })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[2]!]);
  });

  test("topicName, repeatable: filter by URL Group name", async () => {
    const destination = await client.urlGroup([{ url: client.at("/status/500/group") }]);
    const { label, ids } = await letters([{ destination }, {}]);
    expect(await client.delete({ label, topicName: [destination, "another"] })).toEqual(deleted(1));
    expect(await client.ids({ label })).toEqual([ids[1]!]);
  });

  test("scheduleId, repeatable: filter by schedule ID deletes no message without one", async () => {
    const { label, ids } = await letters([{}]);
    expect(await client.delete({ label, scheduleId: ["scd_a", "scd_b"] })).toEqual(deleted(0));
    expect(await client.ids({ label })).toEqual(ids);
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

  test("queueName, repeatable: filter by queue name", async () => {
    const queues = [client.queue(), client.queue()];
    const { label, ids } = await letters([{ queue: queues[0]! }, { queue: queues[1]! }, {}]);
    expect(await client.delete({ label, queueName: queues })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[2]!]);
  });

  test("fromDate: inclusive lower bound", async () => {
    const { label, ids } = await letters([{}]);
    const enteredAt = Number(ids[0]!.split("-")[0]);
    expect(await client.delete({ label, fromDate: enteredAt + 1 })).toEqual(deleted(0));
    expect(await client.delete({ label, fromDate: enteredAt })).toEqual(deleted(1));
  });

  test("toDate: inclusive upper bound", async () => {
    const { label, ids } = await letters([{}]);
    const enteredAt = Number(ids[0]!.split("-")[0]);
    expect(await client.delete({ label, toDate: enteredAt - 1 })).toEqual(deleted(0));
    expect(await client.delete({ label, toDate: enteredAt })).toEqual(deleted(1));
  });

  test("responseStatus, repeatable: filter by HTTP status code of the last delivery attempt", async () => {
    const { label, ids } = await letters(
      [500, 503, 404].map((status) => ({ destination: client.at(`/status/${status}`) })),
    );
    expect(await client.delete({ label, responseStatus: [503, 404] })).toEqual(deleted(2));
    expect(await client.ids({ label })).toEqual([ids[0]!]);
  });

  test("callerIp, repeatable: filter by publisher IP address", async () => {
    const label = client.label();
    const [record] = await client.dead([{}], label);
    expect(await client.delete({ label, callerIp: "192.0.2.1" })).toEqual(deleted(0));
    expect(await client.delete({ label, callerIp: ["192.0.2.1", String(record!["callerIP"])] })).toEqual(
      deleted(1),
    );
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
        expect(answer, value).toMatchObject({ status: 400, body: { error: expect.any(String) as unknown } });
      }
      expect(await client.ids({ label })).toEqual(ids);
    },
  );

  test("any other name: refused with 400 and an error, and nothing is deleted", async () => {
    const { label, ids } = await letters([{}]);
    for (const name of ["dlqId", "DlqIds", "flowcontrolkey", "limit", "all", "order"]) {
      const answer = await client.delete({ label, [name]: ids[0]! });
      expect(answer, name).toMatchObject({ status: 400, body: { error: expect.any(String) as unknown } });
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

  test("repeating the parameter and one comma-separated value are equivalent", async () => {
    const statuses = [500, 503, 404, 410];
    const { label, ids } = await letters(
      statuses.map((status) => ({ destination: client.at(`/status/${status}`) })),
    );
    expect(await client.delete({ label, responseStatus: "500,503" })).toEqual(deleted(2));
    expect(await client.delete({ label, responseStatus: [404] })).toEqual(deleted(1));
    expect(await client.ids({ label })).toEqual([ids[3]!]);
  });
});
