import { idsOf, integerOf, refuseParameters, valuesOf } from "../http/parse-body-and-query.ts";
import type { Message } from "../publish/message.ts";
import { EmulatorRefusal } from "../refusal.ts";

/** Which pending messages a bulk cancel concerns, and how many of them it cancels at most. */
export interface CancelQuery {
  readonly concerns: (message: Message) => boolean;
  readonly count: number;
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

// Source: the service's API reference, "Bulk Cancel Messages". Without a count there is no limit.
const maxCount = 500;

/** `cursor` and `async` are taken and change nothing: what is cancelled is cancelled before the answer. */
const single = ["fromDate", "toDate", "count", "cursor", "async"];
const known = [...Object.keys(filters), "messageIds", ...single];

/**
 * Without ids and filters all messages are concerned, and with ids everything else is ignored. Refuses with
 * 400 whatever it does not know, and a body without a single id, which would otherwise read as "all
 * messages".
 */
export function parseCancelQuery(query: URLSearchParams, body: Buffer): CancelQuery {
  refuseParameters(query, known, single);
  const messageIds = idsOf(query, body, "messageIds", 1);
  if (messageIds !== undefined) {
    const ids = new Set(messageIds);
    return { concerns: ({ messageId }) => ids.has(messageId), count: Infinity };
  }
  const from = integerOf(query, "fromDate") ?? Number.NEGATIVE_INFINITY;
  const to = integerOf(query, "toDate") ?? Number.POSITIVE_INFINITY;
  const wanted = Object.entries(filters).flatMap(([name, values]) => {
    const given = valuesOf(query, name);
    return given === undefined ? [] : [{ given: new Set<string | undefined>(given), values }];
  });
  return {
    concerns: (message) =>
      message.createdAt >= from &&
      message.createdAt <= to &&
      wanted.every(({ given, values }) => values(message).some((value) => given.has(value))),
    count: countOf(query),
  };
}

function countOf(query: URLSearchParams): number {
  const count = integerOf(query, "count");
  if (count === undefined) return Infinity;
  if (count < 1 || count > maxCount)
    throw new EmulatorRefusal(400, `count must be between 1 and ${maxCount}`);
  return count;
}
