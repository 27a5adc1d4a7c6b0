import { describe, expect, it } from "vitest";
import { createDeliveries } from "./deliveries.ts";
import { createGeneratedMailbox } from "./generated-mailbox.ts";
import { createRecords, distributions, orders, type Distribution, type Order } from "./records.ts";

const newestAt = 1_760_000_000_000;
const count = 250;

interface Page {
  readonly messages: readonly { readonly dlqId: string; readonly body: string; readonly createdAt: number }[];
  readonly cursor?: string;
}

const all = distributions.flatMap((distribution) => orders.map((order) => ({ distribution, order })));

function openMailbox(distribution: Distribution = "even", order: Order = "earliest-first") {
  const records = createRecords({ count, distribution, bodyBytes: 1_500, seed: 1, newestAt });
  return { records, mailbox: createGeneratedMailbox(records, createDeliveries(records), order) };
}

const item = (body: string, id: string) => ({
  destination: "https://orders.example.com",
  body,
  headers: { "Upstash-Deduplication-Id": id },
});

describe("the bench's mailbox", () => {
  it.each(all)("lists every record once, $distribution, $order", ({ distribution, order }) => {
    const { records, mailbox } = openMailbox(distribution, order);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { fromDate: 0, toDate: newestAt, count: 100, cursor: cursor ?? null };
      const page = JSON.parse(mailbox.list(query).body.toString()) as Page;
      const listed = page.messages.map(({ dlqId }) => dlqId);
      // A listing goes on where it was, whatever was deleted.
      expect(mailbox.remove(listed)).toBe(listed.length);
      ids.push(...listed);
      cursor = page.cursor;
    } while (cursor !== undefined);
    const expected = Array.from({ length: count }, (_, number) => records.toDlqId(number));
    expect(ids).toEqual(order === "earliest-first" ? expected : expected.toReversed());
    expect(mailbox.remaining()).toBe(0);
  });

  it("lists the records between two dates, both included", () => {
    const { records, mailbox } = openMailbox();
    const [from, to] = [records.enteredAt(10), records.enteredAt(12)];
    const { body } = mailbox.list({ fromDate: from, toDate: to, count: 100, cursor: null });
    const { messages, cursor } = JSON.parse(body.toString()) as Page;
    expect(messages.map(({ dlqId }) => dlqId)).toEqual([10, 11, 12].map(records.toDlqId));
    expect(messages.map(({ createdAt }) => createdAt)).toEqual([10, 11, 12].map(records.enteredAt));
    expect(cursor).toBeUndefined();
  });

  it("counts a message that comes twice, one that is known, and one that is nobody's", () => {
    const { records, mailbox } = openMailbox();
    const { messages } = JSON.parse(records.toPage([0], null).toString()) as Page;
    const body = messages[0]!.body;
    expect(body).toHaveLength(1_500);
    mailbox.publish([item(body, "a"), item(body, "a"), item(body, "b"), item(body.slice(1), "c")]);
    expect(mailbox.counts()).toEqual({ delivered: 1, doubled: 1, deduplicated: 1, broken: 1 });
  });
});
