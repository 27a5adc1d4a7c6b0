import type { BatchItem, DeadLetter } from "./dead-letter.ts";
import { originalFlowControl, toFlowControlValue } from "./flow-control.ts";
import { isForwardable, byLowerName } from "./headers.ts";
import { parsePointer, toPointer } from "./json-pointer.ts";
import { isObject, parseJson } from "./json-value.ts";
import {
  toPrintable,
  toShownHeader,
  toShownJson,
  toShownText,
  toShownToken,
  type Show,
  toShownUrl,
} from "./show-masked-values.ts";

/** One change of a rebuild. Texts are for reading: printable, and at most about 200 characters. */
export interface RebuildRow {
  /** `destination`, `queue`, `method`, `header <name>`, `body <pointer>`, `body`, or a setting's name. */
  readonly what: string;
  readonly change: "added" | "removed" | "changed";
  /** Null if there is none. Masked values of a changed row can read alike. */
  readonly before: string | null;
  readonly after: string | null;
}

const maxBodyRows = 50;

/** Without what every redrive adds, and headers that none forwards. Pure, and never throws. */
export function describeRebuild(
  letter: DeadLetter,
  item: BatchItem,
  { headerPrefix, show }: { readonly headerPrefix: string; readonly show: Show },
): readonly RebuildRow[] {
  const settings = new Map(Object.entries(item.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const setting = (name: string): string | undefined => settings.get(`${headerPrefix}${name}`.toLowerCase());
  const url = (text: string): string => toShownUrl(text, show);
  const text = (what: string, before: string | undefined, after: string | undefined) =>
    row(what, before, after, toPrintable);
  return [
    ...row("destination", letter.url, item.destination, url),
    ...text("queue", letter.queueName, item.queue),
    ...text("method", letter.method, setting("Method")),
    ...headerRows(letter, item, headerPrefix, show),
    ...bodyRows(letter.body, item.body ?? "", show),
    ...text("retries", letter.maxRetries?.toString(), setting("Retries")),
    ...text("retry delay", letter.retryDelayExpression, setting("Retry-Delay")),
    ...text("timeout", undefined, setting("Timeout")),
    ...row("callback", letter.callback, setting("Callback"), url),
    ...row("failure callback", letter.failureCallback, setting("Failure-Callback"), url),
    ...text("labels", letter.labels.join(",") || undefined, setting("Label")),
    ...text(
      "flow control",
      flowControlOf(letter),
      joined(setting("Flow-Control-Key"), setting("Flow-Control-Value")),
    ),
    ...text("delay", undefined, setting("Delay")),
    ...text("not before", undefined, setting("Not-Before")),
  ];
}

function row<Value>(
  what: string,
  before: Value | undefined,
  after: Value | undefined,
  toShown: (value: Value) => string,
): readonly RebuildRow[] {
  if (Object.is(before, after)) return [];
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const shown = (value: Value | undefined): string | null => (value === undefined ? null : toShown(value));
  return [{ what, change, before: shown(before), after: shown(after) }];
}

function headerRows(
  letter: DeadLetter,
  item: BatchItem,
  headerPrefix: string,
  show: Show,
): readonly RebuildRow[] {
  const found = new Map<string, { name: string; before?: string; after?: string }>();
  for (const [lower, { name, values }] of byLowerName(letter.header)) {
    if (isForwardable(name, headerPrefix)) found.set(lower, { name, before: values.join(", ") });
  }
  const forwarded = `${headerPrefix}Forward-`.toLowerCase();
  for (const [itemName, after] of Object.entries(item.headers)) {
    const lowerItemName = itemName.toLowerCase();
    const isForwarded = lowerItemName.startsWith(forwarded);
    if (!isForwarded && lowerItemName !== "content-type") continue;
    const name = isForwarded ? itemName.slice(forwarded.length) : itemName;
    if (!isForwardable(name, headerPrefix)) continue;
    found.set(name.toLowerCase(), { ...found.get(name.toLowerCase()), name, after });
  }
  return [...found.values()].flatMap(({ name, before, after }) =>
    row(`header ${toPrintable(name)}`, before, after, (value) => toShownHeader(value, show)),
  );
}

function bodyRows(before: string, after: string, show: Show): readonly RebuildRow[] {
  if (before === after) return [];
  const json = { before: parseJson(before), after: parseJson(after) };
  const whole = row("body", before, after, (text) => toShownText(text, show));
  if (json.before === undefined || json.after === undefined) return whole;
  const differences = differencesOf(json.before, json.after, maxBodyRows + 1, show);
  const rows = differences.slice(0, maxBodyRows).flatMap(({ pointer, before, after }) => {
    const what = pointer === "" ? "body" : `body ${toPrintable(pointer)}`;
    return row(what, before, after, (value) => toShownJson(value, show));
  });
  if (rows.length === 0) return whole;
  if (differences.length <= maxBodyRows) return rows;
  return [...rows, { what: "body, and more places", change: "changed", before: null, after: null }];
}

/** A key without a value is listed but cannot be published, so it shows as removed. */
function flowControlOf(letter: DeadLetter): string | undefined {
  const flow = originalFlowControl(letter);
  return flow === undefined ? undefined : joined(flow.key, toFlowControlValue(flow));
}

function joined(key: string | undefined, value: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  return value === undefined || value === "" ? key : `${key}: ${value}`;
}

interface BodyDifference {
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** In document order, without recursion. Only objects, and arrays of one length, are compared inside. */
export function differencesOf(
  before: unknown,
  after: unknown,
  max: number,
  show: Show,
): readonly BodyDifference[] {
  const differences: BodyDifference[] = [];
  const open: BodyDifference[] = [{ pointer: "", before, after }];
  for (let one = open.pop(); one !== undefined && differences.length < max; one = open.pop()) {
    const names = namesOf(one.before, one.after);
    if (names === null) {
      if (!Object.is(one.before, one.after)) {
        const tokens = parsePointer(one.pointer) ?? [];
        differences.push({ ...one, pointer: toPointer(tokens.map((token) => toShownToken(token, show))) });
      }
      continue;
    }
    for (const token of names.toReversed()) {
      open.push({
        pointer: one.pointer + toPointer([token]),
        before: memberOf(one.before, token),
        after: memberOf(one.after, token),
      });
    }
  }
  return differences;
}

function namesOf(before: unknown, after: unknown): readonly string[] | null {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? Object.keys(before) : null;
  }
  if (!isObject(before) || !isObject(after)) return null;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function memberOf(value: unknown, token: string): unknown {
  return Object.hasOwn(value as object, token) ? (value as Record<string, unknown>)[token] : undefined;
}
