import { toMessageRecord } from "../dlq/stored-dead-letter.ts";
import type { EmulatorCore } from "../emulator-parts.ts";
import { errorAnswer, json, jsonOf, type EmulatorAnswer } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { naturalOf, readJson, refuseParameters } from "../http/parse-body-and-query.ts";
import { newSigningKey } from "../options.ts";
import { destinationOf } from "../publish/destination-in-path.ts";
import { toItem } from "../publish/parse-publish-items.ts";
import { publishBatch } from "../publish/publish-batch.ts";
import { parseCancelQuery } from "./cancel-query.ts";
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
  route("manage", "DELETE", "/v2/messages", (core, exchange) => {
    const { concerns, filter, isInBackground } = parseCancelQuery(exchange.query, exchange.body);
    const concerned = core.deliveries.list().filter(({ message }) => concerns(message));
    const ids = concerned.map(({ message }) => message.messageId);
    if (filter === null) {
      for (const messageId of ids) core.deliveries.cancel(messageId);
      return json(200, { cancelled: ids.length });
    }
    const { actionId } = core.bulkActions.cancel(ids, filter, isInBackground);
    return json(202, { cancelled: ids.length, actionId: isInBackground ? actionId : undefined });
  }),
  route("manage", "POST", "/v2/messages/{messageId}/retry", (core, _exchange, { messageId }) => {
    const delivery = core.deliveries.find(messageId!);
    if (delivery?.message.queueName !== undefined) {
      return errorAnswer(400, "a message of a queue cannot be sent ahead of it");
    }
    return delivery?.hurry() === true
      ? json(200, {})
      : errorAnswer(404, "message not found, or it does not wait");
  }),
  route("manage", "GET", "/v2/bulkActions", (core, { query }) => bulkActionsAnswer(core, query)),
  route("manage", "GET", "/v2/bulkActions/{actionId}", (core, _exchange, { actionId }) =>
    jsonOf(
      core.bulkActions.list().find((action) => action.actionId === actionId),
      "bulk action",
    ),
  ),
  route("manage", "GET", "/v2/keys", (core) => {
    const { current, next } = core.settings.signingKeys;
    return json(200, { current, next });
  }),
  route("manage", "POST", "/v2/keys/rotate", (core) => {
    const signingKeys = { current: core.settings.signingKeys.next, next: newSigningKey() };
    Object.assign(core.settings, { signingKeys });
    return json(200, signingKeys);
  }),
  route("statistics", "GET", "/v2/search/{id}/stats", (core, exchange, { id }) =>
    json(200, core.indexes.statistics(id!, exchange.query, core.clock.now())),
  ),
];

/** One page, newest first. Its cursor is the number of actions before it. */
function bulkActionsAnswer(core: EmulatorCore, query: URLSearchParams): EmulatorAnswer {
  const names = ["cursor", "count", "state"];
  refuseParameters(query, names, names);
  const from = naturalOf(query, "cursor", 0);
  const count = Math.min(1_000, naturalOf(query, "count", 100));
  const state = query.get("state");
  const all = core.bulkActions.list();
  const page = all.slice(from, from + count).filter((action) => state === null || action.state === state);
  const cursor = from + count < all.length ? String(from + count) : undefined;
  return json(200, { cursor, bulkActions: page });
}

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
