import { json, readJson, type HttpAnswer } from "../http/exchange.ts";
import { batchAnswer } from "../publish/publish-batch.ts";
import { parsePublish } from "../publish/publish-request.ts";
import type { PublishAnswer } from "../publish/publisher.ts";
import { route, type MessageRoute } from "./route.ts";

export const publishing: readonly MessageRoute[] = [
  route("batch", "POST", "/v2/batch", (core, exchange) =>
    batchAnswer(core, readJson(exchange), exchange.remoteAddress),
  ),
  route("publish", "POST", "/v2/publish/{destination...}", (core, exchange, { destination }) => {
    const item = parsePublish(core, exchange, destination!, undefined);
    return published(core.publisher.publish(item, 0, exchange.remoteAddress));
  }),
  route("publish", "POST", "/v2/enqueue/{queue}/{destination...}", (core, exchange, params) => {
    const item = parsePublish(core, exchange, params["destination"]!, params["queue"]);
    return published(core.publisher.publish(item, 0, exchange.remoteAddress));
  }),
];

/** 200, and 202 for a message that is accepted but not sent. Source: the service's API reference, "Deduplication". */
function published(answer: PublishAnswer): HttpAnswer {
  const deduplicated = "messageId" in answer ? answer.deduplicated : answer[0]?.deduplicated;
  return json(deduplicated === true ? 202 : 200, answer);
}
