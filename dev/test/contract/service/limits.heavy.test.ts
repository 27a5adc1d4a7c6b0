import { beforeAll, describe, expect, test } from "vitest";
import { refusal, usePlainClient } from "../../support/plain-client.ts";
import { testTimeoutMs } from "../../support/service-under-test.ts";

/** More than one page of the largest size. */
const records = 104;

const client = await usePlainClient();
let label: string;
let ids: readonly string[];
beforeAll(async () => {
  label = client.label();
  const made = await client.dead(
    Array.from({ length: records }, () => ({})),
    label,
  );
  ids = made.map(({ dlqId }) => dlqId).toSorted();
}, testTimeoutMs);

// The tests of this file use up the same records, in this order.
describe("8 limits", { timeout: testTimeoutMs }, () => {
  test("count maximum, DLQ list: 100 is also the default", async () => {
    const page = await client.page({ label });
    expect(page.messages).toHaveLength(100);
    expect(page.cursor).toMatch(/./);
    const rest = await client.page({ label, cursor: page.cursor });
    expect(rest.messages).toHaveLength(records - 100);
    expect(rest.cursor).toBeUndefined();
  });

  test("count maximum, DLQ list: 100 is granted, more is refused with 400 and an error", async () => {
    expect((await client.page({ label, count: 100 })).messages).toHaveLength(100);
    for (const count of [101, 1000, 2 ** 31, "9".repeat(30)]) {
      const answer = await client.list({ label, count });
      expect(answer, String(count)).toMatchObject(refusal());
    }
  });

  test("count maximum, DLQ bulk delete: more than 100 is refused with 400 and an error, and nothing is deleted", async () => {
    for (const count of [101, 1000, 2 ** 31, "9".repeat(30)]) {
      const answer = await client.delete({ label, count });
      expect(answer, String(count)).toMatchObject(refusal());
    }
    expect(await client.ids({ label })).toEqual(ids);
  });

  test("a cursor keeps working while the records already seen are deleted", async () => {
    const other = client.label();
    await client.dead(
      Array.from({ length: 7 }, () => ({})),
      other,
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.page({ label: other, count: 2, cursor });
      seen.push(...page.messages.map(({ dlqId }) => dlqId));
      await client.delete({ dlqIds: page.messages.map(({ dlqId }) => dlqId) });
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    expect(await client.ids({ label: other })).toEqual([]);
  });

  test("count maximum, DLQ bulk delete: 100 is also the default", async () => {
    const first = (await client.delete({ label })).body as { deleted: number; cursor?: string };
    expect(first.deleted).toBe(100);
    expect(first.cursor).toMatch(/./);
    const left = await client.ids({ label });
    expect(left).toHaveLength(records - 100);
    const second = (await client.delete({ label, cursor: first.cursor })).body as typeof first;
    expect(second.deleted).toBe(records - 100);
    expect(second.cursor ?? "").toBe("");
  });
});
