import type { Records } from "./records.ts";
import type { BatchItem, DeliveryCounts } from "./service-types.ts";

interface Accepted {
  readonly messageId: string;
  readonly deduplicated: boolean;
}

function deduplicationIdOf({ headers = {} }: BatchItem): string | undefined {
  return headers["Upstash-Deduplication-Id"] ?? headers["upstash-deduplication-id"];
}

/** One position of the answer to a batch. */
export function toPosition(accepted: Accepted | null): string {
  if (accepted === null) return '{"error":"no message of this bench"}';
  return `{"messageId":"${accepted.messageId}"${accepted.deduplicated ? ',"deduplicated":true' : ""}}`;
}

/** Delivers what is published, and counts it by record. */
export function createDeliveries(records: Records) {
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

  return {
    /** Its message id; null if it is no message of this bench. A known one is not delivered again. */
    deliver(item: BatchItem): Accepted | null {
      const number = records.fromBody(item.body);
      const id = deduplicationIdOf(item);
      if (number === null || id === undefined) {
        counts.broken += 1;
        return null;
      }
      const messageId = `msg_again_${number}`;
      if (isKnown(number, id)) {
        counts.deduplicated += 1;
        return { messageId, deduplicated: true };
      }
      times[number]! += 1;
      if (times[number] === 1) counts.delivered += 1;
      else counts.doubled += 1;
      return { messageId, deduplicated: false };
    },
    counts: (): DeliveryCounts => ({ ...counts }),
  };
}
