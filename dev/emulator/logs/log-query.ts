import { countOf, integerOf, refuseParameters, valuesOf } from "../http/parse-body-and-query.ts";
import { messageFilterNames, parseMessageFilters } from "../publish/message-filters.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { logStates, type LogEntry, type LogState } from "./message-log.ts";

export interface LogQuery {
  readonly matches: (entry: LogEntry) => boolean;
  readonly count: number;
  /** Entries with this number and newer ones are left out. */
  readonly before: number;
}

// The first is what a page has in the API reference ("List Logs"), the second what the client may ask for.
const pageCount = 100;
const maxCount = 1_000;

const single = ["messageId", "state", "fromDate", "toDate", "count", "cursor"];
const known = [...messageFilterNames, "messageIds", ...single];

/** The dates are those of the entries, not of their messages. */
export function parseLogQuery(query: URLSearchParams): LogQuery {
  refuseParameters(query, known, single);
  const ids = [...(valuesOf(query, "messageIds") ?? []), ...(valuesOf(query, "messageId") ?? [])];
  const messageIds = ids.length === 0 ? undefined : new Set(ids);
  const states = statesOf(query.get("state") ?? "");
  const { before, until } = cursorOf(query.get("cursor") ?? "");
  const from = integerOf(query, "fromDate") ?? Number.NEGATIVE_INFINITY;
  const to = Math.min(until, integerOf(query, "toDate") ?? Number.POSITIVE_INFINITY);
  const matches = parseMessageFilters(query);
  return {
    matches: ({ time, state, message }) =>
      time >= from &&
      time <= to &&
      (states === undefined || states.has(state)) &&
      (messageIds === undefined || messageIds.has(message.messageId)) &&
      matches(message),
    count: countOf(query, maxCount, pageCount),
    before,
  };
}

const inProgress: readonly LogState[] = ["ACTIVE", "RETRY", "ERROR"];

/** Undefined for all. `CANCELLED` is how the API reference spells it. */
function statesOf(text: string): ReadonlySet<string> | undefined {
  if (text === "") return undefined;
  if (text === "IN_PROGRESS") return new Set(inProgress);
  const state = text === "CANCELLED" ? "CANCELED" : text;
  if (state !== "CANCEL_REQUESTED" && !logStates.some((one) => one === state))
    throw new EmulatorRefusal(400, `unknown state: ${text}`);
  return new Set([state]);
}

/** The cursor behind an entry. A moment in Unix milliseconds is one too, as older clients begin with. */
export const formatLogCursor = ({ time, seq }: LogEntry): string => `${time}-${seq}`;

function cursorOf(text: string): { readonly before: number; readonly until: number } {
  if (text === "") return { before: Infinity, until: Infinity };
  const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text);
  if (match === null) throw new EmulatorRefusal(400, "invalid cursor");
  const [, time, seq] = match;
  return seq === undefined
    ? { before: Infinity, until: Number(time) }
    : { before: Number(seq), until: Infinity };
}
