import type { DeadLetter, DlqId, HeaderValues, MessageId, RawRecord, UnusableRecord } from "./dead-letter.ts";
import { defined } from "./defined.ts";
import { isCount, isObject } from "./json-value.ts";

export type ParsedRecord =
  | { readonly kind: "letter"; readonly letter: DeadLetter }
  | ({ readonly kind: "unusable" } & UnusableRecord);

/**
 * Reads one listed record; never throws. Unknown fields are ignored, null and "" are absent. A field that a
 * rebuild or a rule needs and that has another type than documented makes the record malformed: a guess would
 * change the message. Fields of the failed response are read as far as possible.
 */
export function parseRecord(raw: RawRecord): ParsedRecord {
  if (!isObject(raw)) return unusable("no-dlq-id", "a record must be an object");
  const read = createReader(raw);

  const dlqId = read.own("dlqId");
  if (typeof dlqId !== "string" || dlqId === "") {
    return unusable("no-dlq-id", 'field "dlqId" must be a string');
  }
  const enteredAt = toEnteredAt(dlqId);
  if (enteredAt === null) {
    return unusable("malformed-record", 'field "dlqId" must be <milliseconds>-<sequence>');
  }

  const letter: DeadLetter = {
    dlqId: dlqId as DlqId,
    messageId: toWellFormed(
      read.id("messageId") ?? read.missing("messageId", `a string of at most ${maxIdLength} characters`, ""),
    ) as MessageId,
    enteredAt,
    createdAt: read.count("createdAt") ?? read.missing("createdAt", "Unix milliseconds", 0),
    url: read.text("url") ?? read.missing("url", "a string", ""),
    method: read.text("method") ?? "POST",
    header: read.headers("header") ?? {},
    body: read.text("body") ?? "",
    bodyBase64: read.text("bodyBase64") ?? "",
    labels: read.labels(),
    responseHeader: toLooseHeaders(read.own("responseHeader")),
    responseBody: toLooseText(read.own("responseBody")),
    responseBodyBase64: toLooseText(read.own("responseBodyBase64")),
    ...defined({
      topicName: read.text("topicName"),
      endpointName: read.text("endpointName"),
      queueName: read.text("queueName"),
      maxRetries: read.count("maxRetries"),
      retryDelayExpression: read.text("retryDelayExpression"),
      notBefore: read.count("notBefore"),
      callback: read.text("callback"),
      callbackHeader: read.headers("callbackHeader"),
      failureCallback: read.text("failureCallback"),
      failureCallbackHeader: read.headers("failureCallbackHeader"),
      scheduleId: read.text("scheduleId"),
      callerIp: read.text("callerIP"),
      flowControlKey: read.text("flowControlKey"),
      // 0 is how an unset flow control value is listed; none of the three can be published as 0.
      rate: read.count("rate") || undefined,
      period: read.count("period") || undefined,
      parallelism: read.count("parallelism") || undefined,
      responseStatus: read.count("responseStatus") || undefined,
      workflowRunId: read.text("workflowRunId"),
    }),
  };
  const problem = read.problem();
  return problem === null ? { kind: "letter", letter } : unusable("malformed-record", problem);
}

/** Ids of the service have about 30. */
const maxIdLength = 256;

/** Reads fields by type, and remembers the first one of another type. */
function createReader(raw: RawRecord) {
  let problem: string | null = null;
  const expect = (name: string, expected: string): undefined => {
    problem ??= `field "${name}" must be ${expected}`;
  };
  const own = (name: string): unknown => (Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined);

  return {
    own,
    problem: () => problem,
    missing<T>(name: string, expected: string, instead: T): T {
      expect(name, expected);
      return instead;
    },
    text(name: string): string | undefined {
      const value = own(name);
      if (value === undefined || value === "") return undefined;
      return typeof value === "string" ? value : expect(name, "a string");
    },
    /** For values that are written into Redis and logs. */
    id(name: string): string | undefined {
      const value = own(name);
      return typeof value === "string" && value !== "" && value.length <= maxIdLength ? value : undefined;
    },
    count(name: string): number | undefined {
      const value = own(name);
      if (value === undefined) return undefined;
      return isCount(value) ? value : expect(name, "a whole number, 0 or more");
    },
    headers(name: string): HeaderValues | undefined {
      const value = own(name);
      if (value === undefined) return undefined;
      return toHeaders(value) ?? expect(name, "an object of strings or arrays of strings");
    },
    /** `labels` has all, `label` only the first. */
    labels(): readonly string[] {
      const all = toStrings(own("labels"));
      if (all === null) expect("labels", "an array of strings");
      const labels = (all ?? []).filter((label) => label !== "");
      if (labels.length > 0) return labels;
      const first = toStrings(own("label"));
      if (first === null) expect("label", "a string");
      return (first ?? []).filter((label) => label !== "");
    },
  };
}

/** When a record entered the DLQ, Unix ms: the ms part of its dlqId. Null if the id has no such part. */
export function toEnteredAt(dlqId: string): number | null {
  const digits = /^(\d{1,16})-\d{1,20}$/.exec(dlqId)?.[1];
  const enteredAt = Number(digits);
  return digits !== undefined && Number.isSafeInteger(enteredAt) ? enteredAt : null;
}

/** The same of a parsed dead letter: its id always has that part. */
export function enteredAtOfId(dlqId: DlqId): number {
  return toEnteredAt(dlqId) ?? Number.NaN;
}

/** Header names to values as listed; null for anything else. */
export function toHeaders(value: unknown): HeaderValues | null {
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

function toLooseText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A string or an array of strings as an array; absent is empty; null for anything else. */
function toStrings(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.every((item): item is string => typeof item === "string") ? [...list] : null;
}

function unusable(reason: UnusableRecord["reason"], problem: string): ParsedRecord {
  return { kind: "unusable", reason, problem };
}

/** An id with half a character in it could not be written to Redis, and would delay its whole page. */
function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
