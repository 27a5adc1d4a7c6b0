import { deduplicationIdOf, toPosition, type Accepted, type Deliveries } from "./deliveries.ts";
import type { Records } from "./records.ts";
import type { BatchItem, Mailbox } from "./service-types.ts";

/** A mailbox before a receiver that is down: what is published fails, and is a dead letter again at once. */
export interface ReturningMailbox extends Mailbox {
  /** From now on the receiver takes everything. */
  receiverIsUp(): void;
  /** How many messages failed again. */
  returned(): number;
}

interface Kept {
  readonly seq: number;
  readonly enteredAt: number;
  readonly json: string;
}

const forwardPrefix = "Upstash-Forward-";

/** Every record is kept as it is listed, the oldest first: for some ten thousand. */
export function createReturningMailbox(records: Records, deliveries: Deliveries): ReturningMailbox {
  const kept = new Map<string, Kept>();
  const failedIds = new Set<string>();
  let isUp = false;
  let lastSeq = 0;
  let returned = 0;

  function keep(dlqId: string, enteredAt: number, record: object): void {
    lastSeq += 1;
    kept.set(dlqId, { seq: lastSeq, enteredAt, json: JSON.stringify(record) });
  }
  for (let number = 0; number < records.count; number += 1) {
    const page = JSON.parse(records.toPage([number], null).toString()) as { readonly messages: [object] };
    keep(records.toDlqId(number), records.enteredAt(number), page.messages[0]);
  }

  function fail(item: BatchItem): Accepted | null {
    const id = deduplicationIdOf(item);
    if (id === undefined) return null;
    const messageId = `msg_${id}`;
    if (failedIds.has(id)) return { messageId, deduplicated: true };
    failedIds.add(id);
    returned += 1;
    const now = Date.now();
    const dlqId = `${now}-${lastSeq + 1}`;
    keep(dlqId, now, { ...toFailed(item), dlqId, messageId, createdAt: now });
    return { messageId, deduplicated: false };
  }

  return {
    list({ fromDate, toDate, count, cursor }) {
      const found: Kept[] = [];
      for (const one of kept.values()) {
        if (one.enteredAt < fromDate || one.enteredAt > toDate || one.seq < Number(cursor ?? 0)) continue;
        found.push(one);
        if (found.length > count) break;
      }
      const next = found[count];
      const page = found.slice(0, count);
      const end = next === undefined ? "" : `,"cursor":"${next.seq}"`;
      const body = Buffer.from(`{"messages":[${page.map(({ json }) => json).join(",")}]${end}}`);
      return { count: page.length, body };
    },
    remove: (dlqIds) => dlqIds.filter((dlqId) => kept.delete(dlqId)).length,
    publish: (batch) =>
      `[${batch.map((item) => toPosition(isUp ? deliveries.deliver(item) : fail(item))).join(",")}]`,
    remaining: () => kept.size,
    counts: deliveries.counts,
    receiverIsUp() {
      isUp = true;
    },
    returned: () => returned,
  };
}

/** What a dead letter shows of the message that it was. */
function toFailed({ destination, body, headers = {} }: BatchItem): object {
  const forwarded = Object.entries(headers).flatMap(([name, value]) => {
    if (name.startsWith(forwardPrefix)) return [[name.slice(forwardPrefix.length), [value]] as const];
    return name === "Content-Type" ? [[name, [value]] as const] : [];
  });
  return {
    url: destination,
    method: headers["Upstash-Method"] ?? "POST",
    header: Object.fromEntries(forwarded),
    body,
    maxRetries: Number(headers["Upstash-Retries"] ?? 3),
    responseStatus: 503,
    responseBody: "no healthy upstream",
    state: "failed",
  };
}
