import type { RawRecord } from "./dead-letter.ts";

/** Of these a selection has a list, in an order without meaning. */
export const selectListNames = [
  "url",
  "topicName",
  "scheduleId",
  "queueName",
  "responseStatus",
  "callerIp",
  "label",
  "flowControlKey",
] as const;

/** In the order of a listing's query. */
export const selectNames = ["messageId", ...selectListNames] as const;

type TextListName = Exclude<(typeof selectListNames)[number], "responseStatus">;

/** Filters by the service's own parameter names (service-interface.md 4.2). Lists are or, keys are and. */
export interface Filters extends Readonly<Partial<Record<TextListName, readonly string[]>>> {
  readonly messageId?: string;
  readonly responseStatus?: readonly number[];
}

export interface Select extends Filters {
  /** What all of these match is listed, and left to other drains. The service knows no such filter. */
  readonly not?: Filters;
}

/** As the service would, of a record as it was listed. A filter without a value selects everything. */
export function createSelectMatcher({ not, ...select }: Select): (record: RawRecord) => boolean {
  const filters = Object.entries(select).flatMap(([name, given]) => {
    const values = new Set<unknown>([given].flat());
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
const singleValued = selectNames.filter((name) => name !== "label");

export function areDisjoint(one: Select, other: Select): boolean {
  if (isLeftBy(one, other) || isLeftBy(other, one)) return true;
  return singleValued.some((key) => {
    if (one[key] === undefined || other[key] === undefined) return false;
    const seen = new Set<unknown>([one[key]].flat());
    return [other[key]].flat().every((value) => !seen.has(value));
  });
}

function isLeftBy(one: Select, { not = {} }: Select): boolean {
  const left = Object.entries(not);
  return (
    left.length > 0 &&
    left.every(([name, given]) => {
      const known = new Set<unknown>([given].flat());
      const values = [one[name as keyof Filters] ?? []].flat();
      return values.length > 0 && values.every((value) => known.has(value));
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
