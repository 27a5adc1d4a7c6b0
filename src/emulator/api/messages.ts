import { toMessageRecord } from "../dlq/dead-letter.ts";
import { errorAnswer, json } from "../http/exchange.ts";
import { parseMessageQuery } from "../publish/message-query.ts";
import { route, type MessageRoute } from "./route.ts";

/** Messages on their way; one that was delivered or has failed is not found any more. */
export const messages: readonly MessageRoute[] = [
  route("manage", "GET", "/v2/messages/{messageId}", (world, _exchange, { messageId }) => {
    const pending = world.deliveries.find(messageId!);
    return pending === undefined
      ? errorAnswer(404, "message not found")
      : json(200, toMessageRecord(pending.message));
  }),
  route("manage", "DELETE", "/v2/messages/{messageId}", (world, _exchange, { messageId }) =>
    world.deliveries.cancel(messageId!) ? json(202, { cancelled: 1 }) : errorAnswer(404, "message not found"),
  ),
  route("manage", "DELETE", "/v2/messages", (world, exchange) => {
    const query = parseMessageQuery(exchange.query, exchange.body);
    const messageIds =
      "messageIds" in query
        ? query.messageIds
        : [...world.deliveries.list()]
            .filter(({ message }) => query.concerns(message))
            .map(({ message }) => message.messageId);
    const cancelled = messageIds.filter((messageId) => world.deliveries.cancel(messageId)).length;
    return json(202, { cancelled });
  }),
];
