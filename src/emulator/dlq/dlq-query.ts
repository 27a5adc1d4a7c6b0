import { Refusal } from "../refusal.ts";
import { parseCursor, type Position } from "./position.ts";

/** The fields that filters look at, kept beside the stored record. */
export interface Facets {
  readonly messageId: string;
  readonly url: string;
  readonly topicName: string | undefined;
  readonly scheduleId: string | undefined;
  readonly queueName: string | undefined;
  /** 0 where there was no HTTP answer. */
  readonly responseStatus: number;
  readonly callerIp: string | undefined;
  readonly labels: readonly string[];
  readonly flowControlKey: string | undefined;
  readonly createdAt: number;
}

export type Filter = (facets: Facets) => boolean;

export interface DlqQuery {
  readonly after: Position | undefined;
  readonly count: number;
  readonly fromDate: number | undefined;
  readonly toDate: number | undefined;
  /** All filters but the dates; all of them hold (AND). */
  readonly filters: readonly Filter[];
  /** Given on delete only; a list without a usable value counts as not given. */
  readonly dlqIds: readonly string[] | undefined;
}

const maxCount = 100;

const single = ["cursor", "messageId", "fromDate", "toDate", "count"];
const repeatable = ["url", "topicName", "scheduleId", "queueName", "responseStatus", "callerIp", "label"];
const parameters = {
  list: new Set([...single, ...repeatable]),
  delete: new Set([...single, ...repeatable, "dlqIds", "flowControlKey"]),
};

/** Reads the query of a listing or a bulk delete; refuses with 400 whatever it does not know. */
export function parseDlqQuery(query: URLSearchParams, operation: "list" | "delete"): DlqQuery {
  for (const name of query.keys()) {
    if (!parameters[operation].has(name)) throw new Refusal(400, `unknown query parameter: ${name}`);
    if (single.includes(name) && query.getAll(name).length > 1) {
      throw new Refusal(400, `query parameter ${name} cannot be repeated`);
    }
  }
  const dlqIds = values(query, "dlqIds");
  if (dlqIds !== undefined) return byIds(dlqIds);
  return {
    after: cursorOf(query),
    count: countOf(query),
    fromDate: integerOf(query, "fromDate"),
    toDate: integerOf(query, "toDate"),
    filters: filtersOf(query),
    dlqIds: undefined,
  };
}

/** With ids given, every other parameter is ignored. An id is opaque: one that names nothing is not an error. */
function byIds(dlqIds: readonly string[]): DlqQuery {
  if (dlqIds.length > maxCount) throw new Refusal(400, `at most ${maxCount} dlqIds can be given`);
  return { after: undefined, count: maxCount, fromDate: undefined, toDate: undefined, filters: [], dlqIds };
}

function filtersOf(query: URLSearchParams): Filter[] {
  const filters: Filter[] = [];
  const add = <T>(
    wanted: readonly T[] | undefined,
    holds: (facets: Facets, wanted: Set<T | undefined>) => boolean,
  ) => {
    if (wanted === undefined) return;
    const set = new Set<T | undefined>(wanted);
    filters.push((facets) => holds(facets, set));
  };
  const messageId = query.get("messageId");
  if (messageId) filters.push((facets) => facets.messageId === messageId);
  add(urlValues(query), (facets, wanted) => wanted.has(facets.url));
  add(values(query, "topicName"), (facets, wanted) => wanted.has(facets.topicName));
  add(values(query, "scheduleId"), (facets, wanted) => wanted.has(facets.scheduleId));
  add(values(query, "queueName"), (facets, wanted) => wanted.has(facets.queueName));
  add(values(query, "callerIp"), (facets, wanted) => wanted.has(facets.callerIp));
  add(values(query, "flowControlKey"), (facets, wanted) => wanted.has(facets.flowControlKey));
  add(values(query, "label"), (facets, wanted) => facets.labels.some((label) => wanted.has(label)));
  add(
    values(query, "responseStatus")?.map((text) => integer("responseStatus", text)),
    (facets, wanted) => wanted.has(facets.responseStatus),
  );
  return filters;
}

/** Repeated and comma separated values alike; empty ones count as not given. */
function values(query: URLSearchParams, name: string, separator: RegExp = /,/): string[] | undefined {
  const given = query.getAll(name).flatMap((value) => value.split(separator).map((part) => part.trim()));
  const usable = given.filter((value) => value !== "");
  return usable.length === 0 ? undefined : usable;
}

/** A URL may contain commas: only one that a scheme follows separates. */
const urlValues = (query: URLSearchParams): string[] | undefined => values(query, "url", /,(?=https?:\/\/)/i);

function cursorOf(query: URLSearchParams): Position | undefined {
  const text = query.get("cursor");
  if (!text) return undefined;
  const position = parseCursor(text);
  if (position === undefined) throw new Refusal(400, "invalid cursor");
  return position;
}

function countOf(query: URLSearchParams): number {
  const count = integerOf(query, "count") ?? maxCount;
  if (count < 1 || count > maxCount) throw new Refusal(400, `count must be between 1 and ${maxCount}`);
  return count;
}

function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null || text === "" ? undefined : integer(name, text);
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new Refusal(400, `${name} must be an integer: ${text}`);
  }
  return value;
}
