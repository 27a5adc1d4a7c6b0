import type { DeadLetter, DlqId, HeaderValues, MessageId, RawRecord, UnusableRecord } from "./dead-letter.ts";
import { defined } from "./defined.ts";
import { isCount, isObject } from "./json-value.ts";
import { isWellFormed, toWellFormed } from "./well-formed.ts";

export type ParsedRecord =
  | { readonly kind: "letter"; readonly letter: DeadLetter }
  | ({ readonly kind: "unusable" } & UnusableRecord);

/**
 * Reads one listed record; never throws. Unknown fields are ignored, null and "" are absent. A field that a
 * rebuild or a rule needs and that has another type than documented makes the record malformed: a guess would
 * change the message. Fields of the failed response are read as far as possible.
 *
 * Every text of a letter is well formed, so any of them may become a key, an argument or a label. A message
 * whose own text was not is marked (`brokenText`), and is not sent.
 */
export function parseRecord(raw: RawRecord): ParsedRecord {
  if (!isObject(raw)) return unusable("no-dlq-id", "a record must be an object");
  const fields = ownFields(raw);

  const { dlqId } = fields;
  if (typeof dlqId !== "string" || dlqId === "" || !isWellFormed(dlqId)) {
    return unusable("no-dlq-id", 'field "dlqId" must be a string');
  }
  const enteredAt = toEnteredAt(dlqId);
  if (enteredAt === null) {
    return unusable(
      "malformed-record",
      'field "dlqId" must be <milliseconds>-<sequence>, not beyond the year 9999',
    );
  }

  const read = new FieldReader();
  const letter: { -readonly [Field in keyof DeadLetter]: DeadLetter[Field] } = {
    dlqId: dlqId as DlqId,
    messageId: read.id("messageId", fields.messageId) as MessageId,
    enteredAt,
    createdAt: read.count("createdAt", fields.createdAt) ?? read.missing("createdAt", "Unix milliseconds", 0),
    url: read.text("url", fields.url, "bad-destination") ?? read.missing("url", "a string", ""),
    method: read.text("method", fields.method, "unjoinable-header") ?? "POST",
    header: read.headers("header", fields.header) ?? {},
    body: read.text("body", fields.body, "binary-body") ?? "",
    bodyBase64: read.text("bodyBase64", fields.bodyBase64) ?? "",
    labels: read.labels(fields.labels, fields.label),
    responseHeader: toLooseHeaders(fields.responseHeader),
    responseBody: toLooseText(fields.responseBody),
    responseBodyBase64: toLooseText(fields.responseBodyBase64),
  };
  const set = <Field extends keyof DeadLetter>(field: Field, value: DeadLetter[Field] | undefined): void => {
    if (value !== undefined) letter[field] = value;
  };
  set("topicName", read.text("topicName", fields.topicName));
  set("endpointName", read.text("endpointName", fields.endpointName));
  set("queueName", read.text("queueName", fields.queueName, "bad-destination"));
  set("maxRetries", read.count("maxRetries", fields.maxRetries));
  const { retryDelayExpression, flowControlKey } = fields;
  set("retryDelayExpression", read.text("retryDelayExpression", retryDelayExpression, "unjoinable-header"));
  set("notBefore", read.count("notBefore", fields.notBefore));
  set("callback", read.text("callback", fields.callback, "bad-destination"));
  set("callbackHeader", read.headers("callbackHeader", fields.callbackHeader));
  set("failureCallback", read.text("failureCallback", fields.failureCallback, "bad-destination"));
  set("failureCallbackHeader", read.headers("failureCallbackHeader", fields.failureCallbackHeader));
  set("scheduleId", read.text("scheduleId", fields.scheduleId));
  set("callerIp", read.text("callerIP", fields.callerIP));
  set("flowControlKey", read.text("flowControlKey", flowControlKey, "unjoinable-header"));
  // 0 is how an unset flow control value is listed; none of the three can be published as 0.
  set("rate", read.count("rate", fields.rate) || undefined);
  set("period", read.count("period", fields.period) || undefined);
  set("parallelism", read.count("parallelism", fields.parallelism) || undefined);
  set("responseStatus", read.count("responseStatus", fields.responseStatus) || undefined);
  set("workflowRunId", read.text("workflowRunId", fields.workflowRunId));
  set("brokenText", read.brokenText);
  const { problem } = read;
  return problem === null ? { kind: "letter", letter } : unusable("malformed-record", problem, letter.dlqId);
}

/** A record of JSON as it is: none of its fields has the name of an inherited one. */
function ownFields(raw: RawRecord): RawRecord {
  return Object.getPrototypeOf(raw) === Object.prototype ? raw : { ...raw };
}

/** Ids of the service have about 30. */
const maxIdLength = 256;

/** Reads fields by type, and remembers the first one of another type. Null is absent. */
class FieldReader {
  problem: string | null = null;
  brokenText: DeadLetter["brokenText"] = undefined;

  missing<T>(name: string, expected: string, instead: T): T {
    this.problem ??= `field "${name}" must be ${expected}`;
    return instead;
  }

  /** `ifBroken`: of a text that is sent again. */
  text(name: string, value: unknown, ifBroken?: DeadLetter["brokenText"]): string | undefined {
    if (typeof value === "string") {
      if (isWellFormed(value)) return value === "" ? undefined : value;
      this.brokenText ??= ifBroken;
      return toWellFormed(value);
    }
    return value === undefined || value === null ? undefined : this.missing(name, "a string", undefined);
  }

  /** For values that are written into Redis and logs. */
  id(name: string, value: unknown): string {
    if (typeof value === "string" && value !== "" && value.length <= maxIdLength) return toWellFormed(value);
    return this.missing(name, `a string of at most ${maxIdLength} characters`, "");
  }

  count(name: string, value: unknown): number | undefined {
    if (isCount(value)) return value;
    if (value === undefined || value === null) return undefined;
    return this.missing(name, "a whole number, 0 or more", undefined);
  }

  headers(name: string, value: unknown): HeaderValues | undefined {
    if (value === undefined || value === null) return undefined;
    const headers = toHeaders(value);
    if (headers === null) return this.missing(name, "an object of strings or arrays of strings", undefined);
    if (areWellFormed(headers)) return headers;
    this.brokenText ??= "unjoinable-header";
    return toWellFormedHeaders(headers);
  }

  /** `labels` has all, `label` only the first. */
  labels(all: unknown, first: unknown): readonly string[] {
    const labels = withoutEmpty(toStrings(all) ?? this.missing("labels", "an array of strings", nothing));
    const listed =
      labels.length > 0
        ? labels
        : withoutEmpty(toStrings(first) ?? this.missing("label", "a string", nothing));
    if (listed.every(isWellFormed)) return listed;
    this.brokenText ??= "unjoinable-header";
    return listed.map(toWellFormed);
  }
}

/** The end of the year 9999: a `Date` can hold it, and any wait behind it. */
const latestAt = Date.UTC(10_000, 0) - 1;

/** When a record entered the DLQ, Unix ms: the ms part of its dlqId. Null if the id has no such part. */
export function toEnteredAt(dlqId: string): number | null {
  // Digit by digit: each record is asked several times, and a pattern costs a text more. Behind its end there is NaN.
  let enteredAt = 0;
  let at = 0;
  let code = dlqId.charCodeAt(at);
  for (; code >= zero && code <= nine; code = dlqId.charCodeAt(at)) {
    enteredAt = enteredAt * 10 + code - zero;
    at += 1;
  }
  const msDigits = at;
  if (msDigits === 0 || msDigits > 16 || dlqId[at] !== "-") return null;
  do code = dlqId.charCodeAt((at += 1));
  while (code >= zero && code <= nine);
  const sequenceDigits = at - msDigits - 1;
  const isWhole = at === dlqId.length && sequenceDigits > 0 && sequenceDigits <= 20;
  return isWhole && enteredAt <= latestAt ? enteredAt : null;
}

const [zero, nine] = [0x30, 0x39];

/** The same of a parsed dead letter: its id always has that part. */
export function enteredAtOfId(dlqId: DlqId): number {
  return toEnteredAt(dlqId) ?? Number.NaN;
}

/** Header names to values as listed; null for anything else. Such an object as JSON has it is not copied. */
export function toHeaders(value: unknown): HeaderValues | null {
  if (isHeaderValues(value)) return value;
  if (!isObject(value)) return null;
  const entries: [string, readonly string[]][] = [];
  for (const [name, listed] of Object.entries(value)) {
    const values = toStrings(listed);
    if (values === null) return null;
    entries.push([name, values]);
  }
  // fromEntries defines own properties, so that a header called __proto__ is a header.
  return Object.fromEntries(entries);
}

function toLooseHeaders(value: unknown): HeaderValues {
  const headers = isHeaderValues(value) ? value : toReadableHeaders(value);
  return areWellFormed(headers) ? headers : toWellFormedHeaders(headers);
}

function toReadableHeaders(value: unknown): HeaderValues {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, listed]) => [
      name,
      (Array.isArray(listed) ? listed : [listed]).flatMap((item: unknown) =>
        typeof item === "string" || typeof item === "number" ? [String(item)] : [],
      ),
    ]),
  );
}

function isHeaderValues(value: unknown): value is HeaderValues {
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return false;
  // A plain object inherits no names, so none are listed in an array.
  for (const name in value) {
    const values = value[name];
    if (!Array.isArray(values) || !areStrings(values)) return false;
  }
  return true;
}

function areWellFormed(headers: HeaderValues): boolean {
  for (const name in headers) {
    if (!isWellFormed(name)) return false;
    for (const value of headers[name] ?? nothing) if (!isWellFormed(value)) return false;
  }
  return true;
}

function toWellFormedHeaders(headers: HeaderValues): HeaderValues {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [toWellFormed(name), values.map(toWellFormed)]),
  );
}

function toLooseText(value: unknown): string {
  return typeof value === "string" ? toWellFormed(value) : "";
}

/** A string or an array of strings as an array; absent is empty; null for anything else. */
function toStrings(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return nothing;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return areStrings(list) ? list : null;
}

function withoutEmpty(list: readonly string[]): readonly string[] {
  return list.includes("") ? list.filter((text) => text !== "") : list;
}

function areStrings(list: readonly unknown[]): list is readonly string[] {
  for (const item of list) if (typeof item !== "string") return false;
  return true;
}

const nothing: readonly string[] = [];

function unusable(reason: UnusableRecord["reason"], problem: string, dlqId?: DlqId): ParsedRecord {
  return { kind: "unusable", reason, problem, ...defined({ dlqId }) };
}
