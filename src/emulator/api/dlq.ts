import { listAnswer } from "../dlq/list-answer.ts";
import { parseDlqQuery } from "../dlq/dlq-query.ts";
import { retryMany, retryOne } from "../dlq/retry.ts";
import { errorAnswer, json } from "../http/exchange.ts";
import { route, type MessageRoute } from "./route.ts";

export const dlq: readonly MessageRoute[] = [
  route("list", "GET", "/v2/dlq", (world, exchange) =>
    listAnswer(
      world,
      parseDlqQuery(exchange.query, "list", exchange.body, world.settings),
      exchange.query.get("cursor"),
    ),
  ),
  route("delete", "DELETE", "/v2/dlq", (world, exchange) =>
    json(
      200,
      world.deadLetters.delete(
        parseDlqQuery(exchange.query, "delete", exchange.body, world.settings),
        world.faults.draw("lagging-list", "delete")?.fault.forMs,
      ),
    ),
  ),
  route("manage", "GET", "/v2/dlq/{dlqId}", (world, _exchange, { dlqId }) => {
    const record = world.deadLetters.find(dlqId!);
    return record === undefined ? errorAnswer(404, "dead letter not found") : json(200, record);
  }),
  route("manage", "DELETE", "/v2/dlq/{dlqId}", (world, _exchange, { dlqId }) => {
    const gone = world.deadLetters.remove([dlqId!]).length === 0;
    return gone ? errorAnswer(404, "dead letter not found") : json(200, {});
  }),
  route("retry", "POST", "/v2/dlq/retry", (world, exchange) =>
    retryMany(world, exchange, parseDlqQuery(exchange.query, "retry", exchange.body, world.settings)),
  ),
  route("retry", "POST", "/v2/dlq/retry/{dlqId}", (world, exchange, { dlqId }) =>
    retryOne(world, exchange, dlqId!),
  ),
];
