import { toMessageRecord } from "../dlq/stored-dead-letter.ts";
import type { EmulatorCore } from "../emulator-core.ts";
import { errorAnswer, json, jsonOf, type Exchange, type EmulatorAnswer } from "../http/exchange.ts";
import { readJson, idsOf, integerOf, refuseParameters, valuesOf } from "../http/parse-request.ts";
import type { Message } from "../publish/message.ts";
import { toItem } from "../publish/parse-items.ts";
import { publishBatch } from "../publish/publish-batch.ts";
import { EmulatorRefusal } from "../refusal.ts";
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
    const isConcerned = parseCancelQuery(exchange.query, exchange.body);
    const concerned = core.deliveries.list().filter(({ message }) => isConcerned(message));
    for (const { message } of concerned) core.deliveries.cancel(message.messageId);
    return json(202, { cancelled: concerned.length });
  }),
  route("manage", "GET", "/v2/keys", (core) => {
    const { current, next } = core.settings.signingKeys;
    return json(200, { current, next });
  }),
  route("manage", "GET", "/v2/flowControl", (core) => json(200, core.deliveries.flowControls())),
  route("manage", "GET", "/v2/flowControl/{key}", (core, _exchange, { key }) => {
    const flow = core.deliveries.flowControls().find((state) => state.flowControlKey === key);
    return jsonOf(flow, "flow control key");
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

/** A URL stands in the path as it is, its query being that of the request, or percent-encoded as a whole. */
function destinationOf(rest: string, rawQuery: string): string {
  if (/^https?:\/\//i.test(rest)) return rawQuery === "" ? rest : `${rest}?${rawQuery}`;
  let decoded: string;
  try {
    decoded = decodeURIComponent(rest);
  } catch {
    throw new EmulatorRefusal(400, `invalid destination url: ${rest}`);
  }
  if (rawQuery === "" || !/^https?:\/\//i.test(decoded)) return decoded;
  return `${decoded}${decoded.includes("?") ? "&" : "?"}${rawQuery}`;
}

type Values = (message: Message) => readonly (string | undefined)[];

const filters: Readonly<Record<string, Values>> = {
  url: ({ url }) => [url],
  host: ({ url }) => [new URL(url).host, new URL(url).hostname],
  path: ({ url }) => [new URL(url).pathname],
  topicName: ({ topicName }) => [topicName],
  queueName: ({ queueName }) => [queueName],
  scheduleId: ({ settings }) => [settings.scheduleId],
  callerIp: ({ callerIp }) => [callerIp],
  callerIP: ({ callerIp }) => [callerIp],
  label: ({ settings }) => settings.labels,
  flowControlKey: ({ settings }) => [settings.flowControl?.key],
};

/** `count`, `cursor` and `async` are taken and change nothing: one call cancels everything that matches. */
const single = ["fromDate", "toDate", "count", "cursor", "async"];
const known = [...Object.keys(filters), "messageIds", ...single];

/**
 * Which pending messages a bulk cancel concerns; without ids and filters all of them. Refuses with 400
 * whatever it does not know, and a body without a single id, which would otherwise read as "all messages".
 */
function parseCancelQuery(query: URLSearchParams, body: Buffer): (message: Message) => boolean {
  refuseParameters(query, known, single);
  const messageIds = idsOf(query, body, "messageIds", 1);
  if (messageIds !== undefined) {
    const ids = new Set(messageIds);
    return ({ messageId }) => ids.has(messageId);
  }
  const from = integerOf(query, "fromDate") ?? Number.NEGATIVE_INFINITY;
  const to = integerOf(query, "toDate") ?? Number.POSITIVE_INFINITY;
  const wanted = Object.entries(filters).flatMap(([name, values]) => {
    const given = valuesOf(query, name);
    return given === undefined ? [] : [{ given: new Set<string | undefined>(given), values }];
  });
  return (message) =>
    message.createdAt >= from &&
    message.createdAt <= to &&
    wanted.every(({ given, values }) => values(message).some((value) => given.has(value)));
}
