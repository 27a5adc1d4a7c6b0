import type { EmulatorCore } from "../emulator-parts.ts";
import { json, type EmulatorAnswer } from "../http/answers.ts";
import { formatLogCursor, parseLogQuery } from "../logs/log-query.ts";
import { toLogRecord } from "../logs/log-record.ts";
import type { LogEntry } from "../logs/message-log.ts";
import { route, type MessageRoute } from "./route.ts";

/** The official client reads the events; the API reference has the same as logs. */
export const logRoutes: readonly MessageRoute[] = [
  route("manage", "GET", "/v2/events", (core, { query }) => logAnswer(core, query, "events")),
  route("manage", "GET", "/v2/logs", (core, { query }) => logAnswer(core, query, "logs")),
];

/** One page, newest first. */
function logAnswer(core: EmulatorCore, query: URLSearchParams, field: "events" | "logs"): EmulatorAnswer {
  const { matches, count, before } = parseLogQuery(query);
  // One more than asked for: it shows that the page is not the last.
  const found: LogEntry[] = [];
  for (const entry of core.log.before(before)) {
    if (found.length > count) break;
    if (matches(entry)) found.push(entry);
  }
  const page = found.slice(0, count);
  const last = page.at(-1);
  const cursor = found.length > count && last !== undefined ? formatLogCursor(last) : undefined;
  return json(200, { cursor, [field]: page.map((entry) => toLogRecord(entry)) });
}
