import { severalValues } from "../http/query-parameters.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { parseBodyIds } from "./body-ids.ts";
import type { Filter, FilterField } from "./filters.ts";
import { parseCursor, parseOffsetCursor, type Position } from "./position.ts";

export interface DlqQuery {
  /** Where a cursor leads: behind this position, or behind so many of the records that match. */
  readonly after: Position | undefined;
  readonly skip: number | undefined;
  readonly count: number;
  readonly fromDate: number | undefined;
  readonly toDate: number | undefined;
  /** All filters but the dates; all of them hold (AND). */
  readonly filters: readonly Filter[];
  /** A list without a usable value counts as not given. */
  readonly dlqIds: readonly string[] | undefined;
}

export type DlqOperation = "list" | "delete" | "retry";

export interface DlqQueryOptions {
  /**
   * What a listing can be asked by. The production service and its client also list by `dlqIds` and `flowControlKey`,
   * which the specification has for deletion only.
   */
  readonly listParameters: "production" | "spec";
}

const maxCount = 100;

const single = new Set(["cursor", "messageId", "fromDate", "toDate", "count"]);
const repeatable = ["url", "topicName", "scheduleId", "queueName", "responseStatus", "callerIp", "label"];
const asListed = new Set([...single, ...repeatable]);
const all = new Set([...asListed, "dlqIds", "flowControlKey"]);

/**
 * Reads what a listing, a bulk delete or a bulk retry asks for. Refuses with 400 whatever it does not know, before
 * anything happens. Older clients send ids as a JSON body.
 */
export function parseDlqQuery(
  query: URLSearchParams,
  operation: DlqOperation,
  body: Buffer,
  options: DlqQueryOptions,
): DlqQuery {
  const bySpec = operation === "list" && options.listParameters === "spec";
  refuseUnknown(query, bySpec ? asListed : all);
  if (bySpec && body.length > 0) throw new EmulatorRefusal(400, "a listing takes no body");
  const bodyIds = parseBodyIds(body);
  if (bodyIds !== undefined && query.has("dlqIds")) {
    throw new EmulatorRefusal(400, "dlqIds can be given in the query or in the body, not in both");
  }
  const dlqIds = nonEmpty(bodyIds) ?? values(query, "dlqIds");
  if (dlqIds !== undefined) return byIds(dlqIds);
  return {
    ...cursorOf(query),
    count: countOf(query),
    fromDate: integerOf(query, "fromDate"),
    toDate: integerOf(query, "toDate"),
    filters: filtersOf(query),
    dlqIds: undefined,
  };
}

function refuseUnknown(query: URLSearchParams, known: ReadonlySet<string>): void {
  for (const name of query.keys()) {
    if (!known.has(name)) throw new EmulatorRefusal(400, `unknown query parameter: ${name}`);
    if (single.has(name) && query.getAll(name).length > 1) {
      throw new EmulatorRefusal(400, `query parameter ${name} cannot be repeated`);
    }
  }
}

/** With ids given, every other parameter is ignored. An id is opaque: one that names nothing is not an error. */
function byIds(dlqIds: readonly string[]): DlqQuery {
  if (dlqIds.length > maxCount) throw new EmulatorRefusal(400, `at most ${maxCount} dlqIds can be given`);
  return {
    ...fromTheStart,
    count: maxCount,
    fromDate: undefined,
    toDate: undefined,
    filters: [],
    dlqIds,
  };
}

function filtersOf(query: URLSearchParams): Filter[] {
  const given: Readonly<Record<FilterField, readonly string[] | undefined>> = {
    messageId: severalValues(query.getAll("messageId"), never),
    url: urlValues(query),
    topicName: values(query, "topicName"),
    scheduleId: values(query, "scheduleId"),
    queueName: values(query, "queueName"),
    callerIp: values(query, "callerIp"),
    flowControlKey: values(query, "flowControlKey"),
    label: values(query, "label"),
    responseStatus: values(query, "responseStatus")?.map((text) => String(integer("responseStatus", text))),
  };
  return (Object.keys(given) as FilterField[]).flatMap((field) => {
    const wanted = given[field];
    return wanted === undefined ? [] : [{ field, values: new Set(wanted) }];
  });
}

const nonEmpty = (list: string[] | undefined): string[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;

/** A parameter with one value is not split. */
const never = /(?!)/;

const values = (query: URLSearchParams, name: string, separator: RegExp = /,/): string[] | undefined =>
  severalValues(query.getAll(name), separator);

/** A URL may contain commas: only one that a scheme follows separates. */
const urlValues = (query: URLSearchParams): string[] | undefined => values(query, "url", /,(?=https?:\/\/)/i);

/** Where a listing without a cursor begins. */
export const fromTheStart = { after: undefined, skip: undefined } as const;

/** Both kinds are understood at any time, so that a listing goes on as it began. */
function cursorOf(query: URLSearchParams): Pick<DlqQuery, "after" | "skip"> {
  const text = query.get("cursor");
  if (!text) return fromTheStart;
  const after = parseCursor(text);
  const skip = parseOffsetCursor(text);
  if (after === undefined && skip === undefined) throw new EmulatorRefusal(400, "invalid cursor");
  return { after, skip };
}

function countOf(query: URLSearchParams): number {
  const count = integerOf(query, "count") ?? maxCount;
  if (count < 1 || count > maxCount)
    throw new EmulatorRefusal(400, `count must be between 1 and ${maxCount}`);
  return count;
}

function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null || text === "" ? undefined : integer(name, text);
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new EmulatorRefusal(400, `${name} must be an integer: ${text}`);
  }
  return value;
}
