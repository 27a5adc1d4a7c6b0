import { listAnswer } from "../dlq/list-answer.ts";
import { parseDlqQuery } from "../dlq/dlq-query.ts";
import { retryMany, retryOne } from "../dlq/retry-dead-letters.ts";
import { errorAnswer, json } from "../http/exchange.ts";
import { route, type MessageRoute } from "./route.ts";

export const dlq: readonly MessageRoute[] = [
  route("list", "GET", "/v2/dlq", (core, exchange) =>
    listAnswer(
      core,
      parseDlqQuery(exchange.query, "list", exchange.body, core.settings),
      exchange.query.get("cursor"),
    ),
  ),
  route("delete", "DELETE", "/v2/dlq", (core, exchange) =>
    json(
      200,
      core.deadLetters.delete(
        parseDlqQuery(exchange.query, "delete", exchange.body, core.settings),
        core.faults.draw("lagging-list", "delete")?.fault.forMs,
      ),
    ),
  ),
  route("manage", "GET", "/v2/dlq/{dlqId}", (core, _exchange, { dlqId }) => {
    const record = core.deadLetters.find(dlqId!);
    return record === undefined ? errorAnswer(404, "dead letter not found") : json(200, record);
  }),
  route("manage", "DELETE", "/v2/dlq/{dlqId}", (core, _exchange, { dlqId }) => {
    const gone = core.deadLetters.remove([dlqId!]).length === 0;
    return gone ? errorAnswer(404, "dead letter not found") : json(200, {});
  }),
  route("retry", "POST", "/v2/dlq/retry", (core, exchange) =>
    retryMany(core, exchange, parseDlqQuery(exchange.query, "retry", exchange.body, core.settings)),
  ),
  route("retry", "POST", "/v2/dlq/retry/{dlqId}", (core, exchange, { dlqId }) =>
    retryOne(core, exchange, dlqId!),
  ),
];
