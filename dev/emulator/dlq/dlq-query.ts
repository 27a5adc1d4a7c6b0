import {
  countOf,
  idsOf,
  integerOf,
  refuseParameters,
  toInteger,
  valuesOf,
} from "../http/parse-body-and-query.ts";
import type { EmulatorSettings } from "../options.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { parseCursor, parseOffsetCursor, type Position } from "./dlq-ids-and-cursors.ts";
import type { StoredDeadLetter } from "./stored-dead-letter.ts";

/**
 * The fields of a record that a filter can look at. `label` can have several values, the others at most one.
 */
export const filterFields = [
  "messageId",
  "url",
  "topicName",
  "scheduleId",
  "queueName",
  "responseStatus",
  "callerIp",
  "flowControlKey",
  "label",
] as const;

export type FilterField = (typeof filterFields)[number];

/** A record matches if its value, or one of its labels, is among the values. */
export interface Filter {
  readonly field: FilterField;
  readonly values: ReadonlySet<string>;
}

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

const maxCount = 100;

const single = ["cursor", "messageId", "fromDate", "toDate", "count"];
const all = [...single, ...filterFields, "dlqIds"];
const specified = all.filter((name) => name !== "dlqIds" && name !== "flowControlKey");

/**
 * Reads what a listing, a bulk delete or a bulk retry asks for. The production service and its client also
 * list by `dlqIds` and `flowControlKey`, which the specification has for deletion only. Refuses with 400
 * whatever it does not know, before anything happens. With ids given, every other parameter is ignored.
 */
export function parseDlqQuery(
  query: URLSearchParams,
  operation: DlqOperation,
  body: Buffer,
  { listParameters }: Pick<EmulatorSettings, "listParameters">,
): DlqQuery {
  const bySpec = operation === "list" && listParameters === "spec";
  refuseParameters(query, bySpec ? specified : all, single);
  if (bySpec && body.length > 0) throw new EmulatorRefusal(400, "a listing takes no body");
  const dlqIds = idsOf(query, body, "dlqIds", 0);
  if (dlqIds !== undefined) {
    if (dlqIds.length > maxCount) throw new EmulatorRefusal(400, `at most ${maxCount} dlqIds can be given`);
    return { ...everything, dlqIds };
  }
  return {
    ...cursorOf(query),
    count: countOf(query, maxCount, maxCount),
    fromDate: integerOf(query, "fromDate"),
    toDate: integerOf(query, "toDate"),
    filters: filtersOf(query),
    dlqIds: undefined,
  };
}

function filtersOf(query: URLSearchParams): Filter[] {
  return filterFields.flatMap((field) => {
    const values = filterValues(query, field);
    return values === undefined ? [] : [{ field, values: new Set(values) }];
  });
}

function filterValues(query: URLSearchParams, field: FilterField): string[] | undefined {
  if (field === "messageId") {
    const messageId = query.get(field);
    return messageId ? [messageId] : undefined;
  }
  const values = valuesOf(query, field);
  return field === "responseStatus" ? values?.map((text) => String(toInteger(field, text))) : values;
}

/** Where a listing without a cursor begins. */
export const fromTheStart = { after: undefined, skip: undefined } as const;

const everything: DlqQuery = {
  ...fromTheStart,
  count: maxCount,
  fromDate: undefined,
  toDate: undefined,
  filters: [],
  dlqIds: undefined,
};

/** Both kinds are understood at any time, so that a listing goes on as it began. */
function cursorOf(query: URLSearchParams): Pick<DlqQuery, "after" | "skip"> {
  const text = query.get("cursor");
  if (!text) return fromTheStart;
  const after = parseCursor(text);
  const skip = parseOffsetCursor(text);
  if (after === undefined && skip === undefined) throw new EmulatorRefusal(400, "invalid cursor");
  return { after, skip };
}

/** The values as a query writes them. A filter never sees what a listing does not show. */
export function recordValues(record: StoredDeadLetter, field: FilterField): readonly string[] {
  if (field === "responseStatus") {
    const status = record["responseStatus"];
    // 0 finds records without an HTTP answer.
    return [String(typeof status === "number" ? status : 0)];
  }
  if (field === "callerIp") return text(record["callerIP"]);
  if (field === "label") return [record["label"], record["labels"]].flat().flatMap(text);
  return text(record[field]);
}

const text = (value: unknown): string[] => (typeof value === "string" ? [value] : []);
