import { valuesOf } from "../http/parse-body-and-query.ts";
import type { MessageFacts } from "./message.ts";

type Values = (message: MessageFacts) => readonly (string | undefined)[];

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

/** The filters of a bulk cancel and of the logs, all of which can have several values. */
export const messageFilterNames: readonly string[] = Object.keys(filters);

/** Several values of one filter are or, different filters are and. */
export function parseMessageFilters(query: URLSearchParams): (message: MessageFacts) => boolean {
  const wanted = Object.entries(filters).flatMap(([name, values]) => {
    const given = valuesOf(query, name);
    return given === undefined ? [] : [{ given: new Set<string | undefined>(given), values }];
  });
  return (message) => wanted.every(({ given, values }) => values(message).some((value) => given.has(value)));
}
