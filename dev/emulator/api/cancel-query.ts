import { idsOf, integerOf, refuseParameters, valuesOf } from "../http/parse-body-and-query.ts";
import { messageFilterNames, parseMessageFilters } from "../publish/message-filters.ts";
import type { Message } from "../publish/message.ts";

/** Which pending messages a bulk cancel concerns. */
export interface CancelQuery {
  readonly concerns: (message: Message) => boolean;
  /** Null: it names ids, so it is no action of its own. */
  readonly filter: Readonly<Record<string, readonly string[]>> | null;
  readonly isInBackground: boolean;
}

/** `cursor` and `count` are taken and change nothing (the service's API reference, "Bulk Cancel Messages"). */
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
    return { concerns: ({ messageId }) => ids.has(messageId), filter: null, isInBackground: false };
  }
  const from = integerOf(query, "fromDate") ?? Number.NEGATIVE_INFINITY;
  const to = integerOf(query, "toDate") ?? Number.POSITIVE_INFINITY;
  const matches = parseMessageFilters(query);
  return {
    concerns: (message) => message.createdAt >= from && message.createdAt <= to && matches(message),
    filter: Object.fromEntries(
      [...messageFilterNames, "fromDate", "toDate"].flatMap((name) => {
        const values = valuesOf(query, name);
        return values === undefined ? [] : [[name, values]];
      }),
    ),
    isInBackground: query.get("async") === "true",
  };
}
