import { idsOf, integerOf, refuseParameters, valuesOf } from "../http/parse-body-and-query.ts";
import type { Message } from "../publish/message.ts";

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
export function parseCancelQuery(query: URLSearchParams, body: Buffer): (message: Message) => boolean {
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
