import { describe, expect, test } from "vitest";
import { refusal, usePlainClient, type Item } from "../../support/plain-client.ts";
import { testTimeoutMs } from "../../support/service-under-test.ts";

const client = await usePlainClient();

/** Records of one test; nobody else's carry the label. */
async function letters(items: readonly Item[]): Promise<{ label: string; ids: string[] }> {
  const label = client.label();
  const records = await client.dead(items, label);
  return { label, ids: records.map(({ dlqId }) => dlqId) };
}

const deleted = (count: number): unknown =>
  expect.objectContaining({ status: 200, body: expect.objectContaining({ deleted: count }) as unknown });

describe("4.3 query parameters", { timeout: testTimeoutMs }, () => {
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
