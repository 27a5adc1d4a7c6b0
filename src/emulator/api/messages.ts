import { toMessageRecord } from "../dlq/stored-dead-letter.ts";
import { errorAnswer, json } from "../http/exchange.ts";
import { parseMessageQuery } from "../publish/message-query.ts";
import { route, type MessageRoute } from "./route.ts";

/** Messages on their way; one that was delivered or has failed is not found any more. */
export const messages: readonly MessageRoute[] = [
  route("manage", "GET", "/v2/messages/{messageId}", (core, _exchange, { messageId }) => {
    const pending = core.deliveries.find(messageId!);
    return pending === undefined
      ? errorAnswer(404, "message not found")
      : json(200, toMessageRecord(pending.message));
  }),
  route("manage", "DELETE", "/v2/messages/{messageId}", (core, _exchange, { messageId }) =>
    core.deliveries.cancel(messageId!) ? json(202, { cancelled: 1 }) : errorAnswer(404, "message not found"),
  ),
  route("manage", "DELETE", "/v2/messages", (core, exchange) => {
    const query = parseMessageQuery(exchange.query, exchange.body);
    const messageIds =
      "messageIds" in query
        ? query.messageIds
        : [...core.deliveries.list()]
            .filter(({ message }) => query.concerns(message))
            .map(({ message }) => message.messageId);
    const cancelled = messageIds.filter((messageId) => core.deliveries.cancel(messageId)).length;
    return json(202, { cancelled });
  }),
];
