import { differencesOf } from "./body-differences.ts";
import type { BatchItem, DeadLetter } from "./dead-letter.ts";
import { originalFlowControl, toFlowControlValue } from "./flow-control.ts";
import { isForwardable, byLowerName } from "./headers.ts";
import { parseJson } from "./json-value.ts";
import {
  toPrintable,
  toShownHeader,
  toShownJson,
  toShownText,
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

/**
 * The differences between a rebuilt item and its record. Left out are additions of every redrive (deduplication id and
 * lineage header), and headers that no redrive forwards (of the connection and of the service). Pure, and never throws.
 */
export function describeRebuild(
  letter: DeadLetter,
  item: BatchItem,
  { headerPrefix, show }: { readonly headerPrefix: string; readonly show: Show },
): readonly RebuildRow[] {
  const settings = new Map(Object.entries(item.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const setting = (name: string): string | undefined => settings.get(`${headerPrefix}${name}`.toLowerCase());
  const url = (text: string): string => toShownUrl(text, show);
  return [
    ...row("destination", letter.url, item.destination, url),
    ...row("queue", letter.queueName, item.queue),
    ...row("method", letter.method, setting("Method")),
    ...headerRows(letter, item, headerPrefix, show),
    ...bodyRows(letter.body, item.body ?? "", show),
    ...row("retries", letter.maxRetries?.toString(), setting("Retries")),
    ...row("retry delay", letter.retryDelayExpression, setting("Retry-Delay")),
    ...row("timeout", undefined, setting("Timeout")),
    ...row("callback", letter.callback, setting("Callback"), url),
    ...row("failure callback", letter.failureCallback, setting("Failure-Callback"), url),
    ...row("labels", letter.labels.join(",") || undefined, setting("Label")),
    ...row(
      "flow control",
      flowControlOf(letter),
      joined(setting("Flow-Control-Key"), setting("Flow-Control-Value")),
    ),
    ...row("delay", undefined, setting("Delay")),
    ...row("not before", undefined, setting("Not-Before")),
  ];
}

function row(
  what: string,
  before: string | undefined,
  after: string | undefined,
  toShown: (text: string) => string = toPrintable,
): readonly RebuildRow[] {
  return before === after ? [] : [toRow(what, before, after, toShown)];
}

function toRow<Value>(
  what: string,
  before: Value | undefined,
  after: Value | undefined,
  toShown: (value: Value) => string,
): RebuildRow {
  return {
    what,
    change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
    before: before === undefined ? null : toShown(before),
    after: after === undefined ? null : toShown(after),
  };
}

function headerRows(
  letter: DeadLetter,
  item: BatchItem,
  headerPrefix: string,
  show: Show,
): readonly RebuildRow[] {
  const names = new Map<string, string>();
  const before = new Map<string, string>();
  for (const [lower, { name, values }] of byLowerName(letter.header)) {
    if (!isForwardable(name, headerPrefix)) continue;
    names.set(lower, name);
    before.set(lower, values.join(", "));
  }
  const after = new Map<string, string>();
  const forwarded = `${headerPrefix}Forward-`.toLowerCase();
  for (const [itemName, value] of Object.entries(item.headers)) {
    const lowerItemName = itemName.toLowerCase();
    const isForwarded = lowerItemName.startsWith(forwarded);
    if (!isForwarded && lowerItemName !== "content-type") continue;
    const name = isForwarded ? itemName.slice(forwarded.length) : itemName;
    if (!isForwardable(name, headerPrefix)) continue;
    names.set(name.toLowerCase(), name);
    after.set(name.toLowerCase(), value);
  }
  return [...names].flatMap(([lower, name]) =>
    row(`header ${toPrintable(name)}`, before.get(lower), after.get(lower), (value) =>
      toShownHeader(value, show),
    ),
  );
}

function bodyRows(before: string, after: string, show: Show): readonly RebuildRow[] {
  if (before === after) return [];
  const json = { before: parseJson(before), after: parseJson(after) };
  const whole = row("body", before, after, (text) => toShownText(text, show));
  if (json.before === undefined || json.after === undefined) return whole;
  const differences = differencesOf(json.before, json.after, maxBodyRows + 1, show);
  const rows = differences.slice(0, maxBodyRows).map(({ pointer, before, after }) => {
    const what = pointer === "" ? "body" : `body ${toPrintable(pointer)}`;
    return toRow(what, before, after, (value) => toShownJson(value, show));
  });
  // Equal values in another text: the losses of the rebuild name what was lost.
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
