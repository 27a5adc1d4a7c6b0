import type { RawRecord } from "./dead-letter.ts";

/** Filters by the service's own parameter names (service-interface.md 4.2). Lists are or, keys are and. */
export interface Filters {
  readonly messageId?: string;
  readonly url?: readonly string[];
  readonly topicName?: readonly string[];
  readonly scheduleId?: readonly string[];
  readonly queueName?: readonly string[];
  readonly responseStatus?: readonly number[];
  readonly callerIp?: readonly string[];
  readonly label?: readonly string[];
  readonly flowControlKey?: readonly string[];
}

export interface Select extends Filters {
  /** What all of these match is listed, and left to other drains. The service knows no such filter. */
  readonly not?: Filters;
}

type SelectName = keyof Filters;

/** Every filter, so that a new one cannot be forgotten silently. */
const filters = {
  messageId: "value",
  url: "list",
  topicName: "list",
  scheduleId: "list",
  queueName: "list",
  responseStatus: "list",
  callerIp: "list",
  label: "list",
  flowControlKey: "list",
} as const satisfies {
  [Name in SelectName]-?: Required<Filters>[Name] extends string ? "value" : "list";
};

/** In the order of a listing's query. */
export const selectNames = Object.keys(filters) as readonly SelectName[];

type SelectListName = {
  [Name in SelectName]: (typeof filters)[Name] extends "list" ? Name : never;
}[SelectName];

/** Of these a selection has a list, in an order without meaning. */
export const selectListNames = selectNames.filter((name): name is SelectListName => filters[name] === "list");

/**
 * True if the service would list a record by this selection. Reads the record as it was listed, so it also works for
 * one that cannot be parsed. A filter without a value selects everything, as it does for the service.
 */
export function createSelectMatcher({ not, ...select }: Select): (record: RawRecord) => boolean {
  const filters = Object.entries(select).flatMap(([name, given]: [string, Filters[SelectName]]) => {
    const values = new Set<unknown>(typeof given === "string" ? [given] : given);
    return values.size === 0 ? [] : [{ name, values }];
  });
  const isLeft = not === undefined ? () => false : createSelectMatcher(not);
  return (record) =>
    !isLeft(record) &&
    filters.every(({ name, values }) => valuesOf(record, name).some((value) => values.has(value)));
}

export function withoutLeft<Page extends { readonly records: readonly RawRecord[] }>(
  page: Page,
  { not }: Select,
): Page {
  return not === undefined ? page : { ...page, records: page.records.filter(createSelectMatcher({ not })) };
}

export function selectsEverything({ select, dates }: Readonly<{ select: Select; dates?: object }>): boolean {
  return Object.keys(select).length === 0 && dates === undefined;
}

/** Two selections with different values of one of them share no record. A message may have several labels. */
const singleValued = selectListNames.filter((name) => name !== "label");

export function areDisjoint(one: Select, other: Select): boolean {
  if (one.messageId !== undefined && other.messageId !== undefined && one.messageId !== other.messageId)
    return true;
  if (isLeftBy(one, other) || isLeftBy(other, one)) return true;
  return singleValued.some((key) => {
    const values = one[key];
    const others = other[key];
    if (values === undefined || others === undefined) return false;
    const seen = new Set<string | number>(values);
    return others.every((value) => !seen.has(value));
  });
}

/** Everything that `one` selects is what `other` leaves to other drains. */
function isLeftBy(one: Select, { not }: Select): boolean {
  const keys = Object.keys(not ?? {}) as (keyof Filters)[];
  return (
    keys.length > 0 &&
    keys.every((key) => {
      const left = new Set<string | number>([not?.[key] ?? []].flat());
      const values = [one[key] ?? []].flat();
      return values.length > 0 && values.every((value) => left.has(value));
    })
  );
}

/** There may be several labels, in one of two fields. Only the address has another name in the record. */
function valuesOf(record: RawRecord, name: string): readonly unknown[] {
  const value = own(record, name === "callerIp" ? "callerIP" : name);
  // Without an HTTP answer it is 0 or absent.
  if (name === "responseStatus") return [value ?? 0];
  const all = name === "label" ? own(record, "labels") : undefined;
  return Array.isArray(all) ? [value, ...(all as readonly unknown[])] : [value];
}

function own(record: RawRecord, field: string): unknown {
  return Object.hasOwn(record, field) ? record[field] : undefined;
}
