import { countOf, idsOf, integerOf, refuseParameters } from "../http/parse-body-and-query.ts";
import { messageFilterNames, parseMessageFilters } from "../publish/message-filters.ts";
import type { Message } from "../publish/message.ts";

/** Which pending messages a bulk cancel concerns, and how many of them it cancels at most. */
export interface CancelQuery {
  readonly concerns: (message: Message) => boolean;
  readonly count: number;
}

// Source: the service's API reference, "Bulk Cancel Messages". Without a count there is no limit.
const maxCount = 500;

/** `cursor` and `async` are taken and change nothing: what is cancelled is cancelled before the answer. */
const single = ["fromDate", "toDate", "count", "cursor", "async"];
const known = [...messageFilterNames, "messageIds", ...single];

/**
 * Without ids and filters all messages are concerned, and with ids everything else is ignored. Refuses with
 * 400 whatever it does not know, and a body without a single id, which would otherwise read as "all
 * messages".
 */
export function parseCancelQuery(query: URLSearchParams, body: Buffer): CancelQuery {
  refuseParameters(query, known, single);
  const messageIds = idsOf(query, body, "messageIds", 1);
  if (messageIds !== undefined) {
    const ids = new Set(messageIds);
    return { concerns: ({ messageId }) => ids.has(messageId), count: Infinity };
  }
  const from = integerOf(query, "fromDate") ?? Number.NEGATIVE_INFINITY;
  const to = integerOf(query, "toDate") ?? Number.POSITIVE_INFINITY;
  const matches = parseMessageFilters(query);
  return {
    concerns: (message) => message.createdAt >= from && message.createdAt <= to && matches(message),
    count: countOf(query, maxCount, Infinity),
  };
}
