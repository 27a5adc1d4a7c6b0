import { createDeadLetters } from "./dead-letters.ts";
import { toPosition, type Deliveries } from "./deliveries.ts";
import type { Order, Records } from "./records.ts";
import type { Mailbox } from "./service-types.ts";

/** Any number of records in little memory: each is made when it is listed. The receiver takes everything. */
export function createGeneratedMailbox(records: Records, deliveries: Deliveries, order: Order): Mailbox {
  const deadLetters = createDeadLetters(records, order);
  return {
    list(query) {
      const { numbers, cursor } = deadLetters.list(query);
      return { count: numbers.length, body: records.toPage(numbers, cursor) };
    },
    remove: (dlqIds) => deadLetters.remove(dlqIds.map(records.fromDlqId).filter((number) => number !== null)),
    publish: (batch) => `[${batch.map((item) => toPosition(deliveries.deliver(item))).join(",")}]`,
    remaining: deadLetters.remaining,
    counts: deliveries.counts,
  };
}
