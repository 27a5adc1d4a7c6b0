import { toMessageRecord } from "../dlq/stored-dead-letter.ts";
import type { EmulatorCore } from "../emulator-parts.ts";
import { errorAnswer, json, jsonOf, type EmulatorAnswer } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { readJson } from "../http/parse-body-and-query.ts";
import { destinationOf } from "../publish/destination-in-path.ts";
import { toItem } from "../publish/parse-publish-items.ts";
import { publishBatch } from "../publish/publish-batch.ts";
import { route, type MessageRoute } from "./route.ts";

/** Publishing, messages on their way, and what concerns the service as a whole. */
export const messageRoutes: readonly MessageRoute[] = [
  route("batch", "POST", "/v2/batch", (core, exchange) =>
    publishBatch(core, readJson(exchange), exchange.remoteAddress),
  ),
  route("publish", "POST", "/v2/publish/{destination...}", (core, exchange, { destination }) =>
    publishOne(core, exchange, destination!, undefined),
  ),
  route("publish", "POST", "/v2/enqueue/{queue}/{destination...}", (core, exchange, params) =>
    publishOne(core, exchange, params["destination"]!, params["queue"]),
  ),
  route("manage", "GET", "/v2/messages/{messageId}", (core, _exchange, { messageId }) => {
    const message = core.deliveries.find(messageId!)?.message;
    return jsonOf(message && toMessageRecord(message), "message");
  }),
  route("manage", "DELETE", "/v2/messages/{messageId}", (core, _exchange, { messageId }) =>
    core.deliveries.cancel(messageId!) ? json(202, { cancelled: 1 }) : errorAnswer(404, "message not found"),
  ),
  route("manage", "GET", "/v2/keys", (core) => {
    const { current, next } = core.settings.signingKeys;
    return json(200, { current, next });
  }),
  route("statistics", "GET", "/v2/search/{id}/stats", (core, exchange, { id }) =>
    json(200, core.indexes.statistics(id!, exchange.query, core.clock.now())),
  ),
];

/** 200, or 202 if it is accepted but not sent (the service's API reference, "Deduplication"). */
function publishOne(
  core: EmulatorCore,
  exchange: Exchange,
  rest: string,
  queueName: string | undefined,
): EmulatorAnswer {
  const { rawQuery, headers, body } = exchange;
  const draft = { destination: destinationOf(rest, rawQuery), queueName, headers, body };
  const item = toItem(draft, core.directory, core.settings);
  const answer = core.publisher.publish(item, 0, exchange.remoteAddress);
  const deduplicated = "messageId" in answer ? answer.deduplicated : answer[0]?.deduplicated;
  return json(deduplicated === true ? 202 : 200, answer);
}
