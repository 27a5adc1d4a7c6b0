import type { DeadLetter, DlqId, HeaderValues, MessageId, RawRecord, UnusableRecord } from "./dead-letter.ts";
import { defined } from "./defined.ts";
import { isCount, isObject } from "./json-value.ts";

declare global {
  // Node 20 has them, lib ES2023 does not.
  interface String {
    /** False with half of a surrogate pair: UTF-8 and Redis cannot keep it, `encodeURIComponent` throws. */
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

export type ParsedRecord =
  | { readonly kind: "letter"; readonly letter: DeadLetter }
  | ({ readonly kind: "unusable" } & UnusableRecord);

/**
 * Never throws. Unknown fields are ignored, null and "" are absent. A needed field of another type than
 * documented makes the record malformed: a guess would change the message. A failed response is read as far as
 * possible. Every text is well formed, so it may become a key or a label. A message whose own text was not is
 * marked (`brokenText`), and is not sent.
 */
export function parseRecord(raw: RawRecord): ParsedRecord {
  if (!isObject(raw)) return unusable("no-dlq-id", "a record must be an object");
  // A record of JSON as it is: none of its fields has the name of an inherited one.
  const fields = Object.getPrototypeOf(raw) === Object.prototype ? raw : { ...raw };

  const { dlqId } = fields;
  if (typeof dlqId !== "string" || dlqId === "" || !dlqId.isWellFormed()) {
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
  const plain = read.plainFields(fields);
  const { header, callbackHeader, failureCallbackHeader, labels, label } = fields;
  const { responseHeader, responseBody, responseBodyBase64 } = fields;
  const letter: { -readonly [Field in keyof DeadLetter]: DeadLetter[Field] } = {
    dlqId: dlqId as DlqId,
    messageId: read.id("messageId", fields["messageId"]) as MessageId,
    enteredAt,
    createdAt: plain.createdAt ?? read.missing("createdAt", "Unix milliseconds", 0),
    url: plain.url || read.missing("url", "a string", ""),
    method: plain.method || "POST",
    header: isReady(header) ? header : (read.headers("header", header) ?? {}),
    body: plain.body || "",
    bodyBase64: plain.bodyBase64 || "",
    labels: labels === undefined && label === undefined ? nothing : read.labels(labels, label),
    responseHeader: isReady(responseHeader) ? responseHeader : toReadableHeaders(responseHeader),
    responseBody: typeof responseBody === "string" ? responseBody.toWellFormed() : "",
    responseBodyBase64: typeof responseBodyBase64 === "string" ? responseBodyBase64.toWellFormed() : "",
    topicName: plain.topicName || undefined,
    endpointName: plain.endpointName || undefined,
    queueName: plain.queueName || undefined,
    maxRetries: plain.maxRetries ?? undefined,
    retryDelayExpression: plain.retryDelayExpression || undefined,
    notBefore: plain.notBefore ?? undefined,
    callback: plain.callback || undefined,
    callbackHeader: callbackHeader === undefined ? undefined : read.headers("callbackHeader", callbackHeader),
    failureCallback: plain.failureCallback || undefined,
    failureCallbackHeader:
      failureCallbackHeader === undefined
        ? undefined
        : read.headers("failureCallbackHeader", failureCallbackHeader),
    scheduleId: plain.scheduleId || undefined,
    callerIp: plain.callerIP || undefined,
    flowControlKey: plain.flowControlKey || undefined,
    // 0 is how an unset flow control value is listed; none of the three can be published as 0.
    rate: plain.rate || undefined,
    period: plain.period || undefined,
    parallelism: plain.parallelism || undefined,
    responseStatus: plain.responseStatus || undefined,
    workflowRunId: plain.workflowRunId || undefined,
    brokenText: undefined,
  };
  letter.brokenText = read.brokenText;
  const { problem } = read;
  return problem === null ? { kind: "letter", letter } : unusable("malformed-record", problem, letter.dlqId);
}

/** Ids of the service have about 30. */
const maxIdLength = 256;

type BrokenText = NonNullable<DeadLetter["brokenText"]>;

/** The fields that are a text, and why one that is sent again is not sent if it is broken. */
const textFields = {
  url: "bad-destination",
  method: "unjoinable-header",
  body: "binary-body",
  bodyBase64: undefined,
  topicName: undefined,
  endpointName: undefined,
  queueName: "bad-destination",
  retryDelayExpression: "unjoinable-header",
  callback: "bad-destination",
  failureCallback: "bad-destination",
  scheduleId: undefined,
  callerIP: undefined,
  flowControlKey: "unjoinable-header",
  workflowRunId: undefined,
} as const satisfies Readonly<Record<string, BrokenText | undefined>>;
type TextField = keyof typeof textFields;
const textNames = Object.keys(textFields) as TextField[];

const countNames = [
  "createdAt",
  "maxRetries",
  "notBefore",
  "rate",
  "period",
  "parallelism",
  "responseStatus",
] as const;

type PlainFields = Readonly<
  Record<TextField, string | null | undefined> &
    Record<(typeof countNames)[number], number | null | undefined>
>;

/** Reads fields by type, and remembers the first one of another type. Null is absent. */
class FieldReader {
  problem: string | null = null;
  brokenText: BrokenText | undefined = undefined;

  missing<T>(name: string, expected: string, instead: T): T {
    this.problem ??= `field "${name}" must be ${expected}`;
    return instead;
  }

  /** Texts, well formed, and counts. Asked in one loop, because a record has 21 of them and most are absent. */
  plainFields(fields: RawRecord): PlainFields {
    let plain = fields;
    for (const name of textNames) {
      const value = fields[name];
      if (value === undefined || value === null) continue;
      if (typeof value !== "string") {
        this.missing(name, "a string", undefined);
      } else if (!value.isWellFormed()) {
        this.brokenText ??= textFields[name];
        plain = { ...plain, [name]: value.toWellFormed() };
      }
    }
    for (const name of countNames) {
      const value = fields[name];
      if (value === undefined || value === null || isCount(value)) continue;
      this.missing(name, "a whole number, 0 or more", undefined);
    }
    return plain as PlainFields;
  }

  /** For values that are written into Redis and logs. */
  id(name: string, value: unknown): string {
    if (typeof value === "string" && value !== "" && value.length <= maxIdLength) return value.toWellFormed();
    return this.missing(name, `a string of at most ${maxIdLength} characters`, "");
  }

  headers(name: string, value: unknown): HeaderValues | undefined {
    if (value === undefined || value === null) return undefined;
    const headers = toHeaders(value);
    if (headers === null) return this.missing(name, "an object of strings or arrays of strings", undefined);
    if (isReady(headers)) return headers;
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
    if (listed.every((label) => label.isWellFormed())) return listed;
    this.brokenText ??= "unjoinable-header";
    return listed.map((label) => label.toWellFormed());
  }
}

/** The end of the year 9999: a `Date` can hold it, and any wait behind it. */
const latestAt = Date.UTC(10_000, 0) - 1;

/** When a record, usable or not, entered the DLQ, Unix ms, by its id; null if the id does not show it. */
export function enteredAtOf({ dlqId }: { readonly dlqId?: unknown }): number | null {
  return typeof dlqId === "string" ? toEnteredAt(dlqId) : null;
}

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
  if (isReady(value)) return value;
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

/** What a failed response has of headers, as far as it can be read. */
function toReadableHeaders(value: unknown): HeaderValues {
  if (!isObject(value)) return {};
  const headers = Object.entries(value).map(([name, listed]): [string, readonly string[]] => [
    name,
    (Array.isArray(listed) ? listed : [listed]).flatMap((item: unknown) =>
      typeof item === "string" || typeof item === "number" ? [String(item)] : [],
    ),
  ]);
  return toWellFormedHeaders(Object.fromEntries(headers));
}

/** True for headers that need no copy: an object of JSON, of lists of well-formed texts. */
function isReady(value: unknown): value is HeaderValues {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return false;
  }
  // A plain object inherits no names, so none are listed in an array.
  for (const name in value) {
    if (!name.isWellFormed()) return false;
    const values = (value as RawRecord)[name];
    if (!Array.isArray(values)) return false;
    for (const one of values as readonly unknown[]) {
      if (typeof one !== "string" || !one.isWellFormed()) return false;
    }
  }
  return true;
}

function toWellFormedHeaders(headers: HeaderValues): HeaderValues {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [
      name.toWellFormed(),
      values.map((value) => value.toWellFormed()),
    ]),
  );
}

/** A string or an array of strings as an array; absent is empty; null for anything else. */
function toStrings(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return nothing;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.every((item): item is string => typeof item === "string") ? list : null;
}

function withoutEmpty(list: readonly string[]): readonly string[] {
  return list.includes("") ? list.filter((text) => text !== "") : list;
}

const nothing: readonly string[] = [];

function unusable(reason: UnusableRecord["reason"], problem: string, dlqId?: DlqId): ParsedRecord {
  return { kind: "unusable", reason, problem, ...defined({ dlqId }) };
}
