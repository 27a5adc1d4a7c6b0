import { json, readJson, type Answer } from "../http/exchange.ts";
import { batchAnswer } from "../publish/batch-answer.ts";
import { parsePublish } from "../publish/publish-request.ts";
import type { PublishAnswer } from "../publish/publisher.ts";
import { route, type MessageRoute } from "./route.ts";

export const publishing: readonly MessageRoute[] = [
  route("batch", "POST", "/v2/batch", (world, exchange) =>
    batchAnswer(world, readJson(exchange), exchange.remoteAddress),
  ),
  route("publish", "POST", "/v2/publish/{destination...}", (world, exchange, { destination }) => {
    const item = parsePublish(world, exchange, destination!, undefined);
    return published(world.publisher.publish(item, 0, exchange.remoteAddress));
  }),
  route("publish", "POST", "/v2/enqueue/{queue}/{destination...}", (world, exchange, params) => {
    const item = parsePublish(world, exchange, params["destination"]!, params["queue"]);
    return published(world.publisher.publish(item, 0, exchange.remoteAddress));
  }),
];

/** 200, and 202 for a message that is accepted but not sent. Source: the service's API reference, "Deduplication". */
function published(answer: PublishAnswer): Answer {
  const deduplicated = "messageId" in answer ? answer.deduplicated : answer[0]?.deduplicated;
  return json(deduplicated === true ? 202 : 200, answer);
}
