import type { Records } from "./records.ts";
import type { BatchItem } from "./service-types.ts";

/** Delivers what is published, and counts it by record. */
export function createDeliveries(records: Records) {
  const times = new Uint8Array(records.count);
  const knownIds = new Set<string>();
  const counts = { delivered: 0, doubled: 0, broken: 0 };
  return {
    /** Its position in the answer to a batch. What has a known deduplication id is not delivered again. */
    deliver({ body, headers = {} }: BatchItem): string {
      const number = records.fromBody(body);
      const id = headers["Upstash-Deduplication-Id"] ?? headers["upstash-deduplication-id"];
      if (number === null || id === undefined) {
        counts.broken += 1;
        return '{"error":"no message of this bench"}';
      }
      const messageId = `"messageId":"msg_again_${number}"`;
      if (knownIds.has(id)) return `{${messageId},"deduplicated":true}`;
      knownIds.add(id);
      times[number]! += 1;
      if (times[number] === 1) counts.delivered += 1;
      else counts.doubled += 1;
      return `{${messageId}}`;
    },
    counts: () => ({ ...counts }),
  };
}
