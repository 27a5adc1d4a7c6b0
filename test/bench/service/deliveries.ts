import type { Records } from "./records.ts";

export interface DeliveryCounts {
  /** Records that were delivered at least once. */
  readonly delivered: number;
  /** Deliveries beyond the first of a record. */
  readonly doubled: number;
  /** Items that were not sent again because their deduplication id was known. */
  readonly deduplicated: number;
  /** Items that are no record's message, or without a deduplication id. */
  readonly broken: number;
}

export interface Deliveries {
  /** The answer to a batch. */
  accept(batch: unknown): string;
  counts(): DeliveryCounts;
}

interface Item {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Delivers what is published, and counts it by record. */
export function createDeliveries(records: Records): Deliveries {
  const times = new Uint8Array(records.count);
  /** By record the first id; others are rare. */
  const firstIds: (string | undefined)[] = [];
  const otherIds = new Set<string>();
  const counts = { delivered: 0, doubled: 0, deduplicated: 0, broken: 0 };

  function isKnown(number: number, id: string): boolean {
    const first = firstIds[number];
    if (first === undefined) {
      firstIds[number] = id;
      return false;
    }
    if (first === id || otherIds.has(id)) return true;
    otherIds.add(id);
    return false;
  }

  function acceptItem({ body, headers = {} }: Item): string {
    const number = records.fromBody(body);
    const id = headers["Upstash-Deduplication-Id"] ?? headers["upstash-deduplication-id"];
    if (number === null || id === undefined) {
      counts.broken += 1;
      return '{"error":"no message of this bench"}';
    }
    const messageId = `msg_again_${number}`;
    if (isKnown(number, id)) {
      counts.deduplicated += 1;
      return `{"messageId":"${messageId}","deduplicated":true}`;
    }
    times[number]! += 1;
    if (times[number] === 1) counts.delivered += 1;
    else counts.doubled += 1;
    return `{"messageId":"${messageId}"}`;
  }

  return {
    accept: (batch) => `[${(batch as readonly Item[]).map(acceptItem).join(",")}]`,
    counts: () => ({ ...counts }),
  };
}
