/** Records of the dead letter queue, each made from its number alone. */

export const distributions = ["even", "one-millisecond", "last-minute", "gaps"] as const;
/**
 * When records entered the queue. `even`: spread over 3 days. `last-minute`: 99 % of them in the last minute
 * of these. `gaps`: in ten minutes of these, hours apart.
 */
export type Distribution = (typeof distributions)[number];

export const orders = ["earliest-first", "latest-first"] as const;
export type Order = (typeof orders)[number];

export interface RecordsOptions {
  readonly count: number;
  readonly distribution: Distribution;
  readonly bodyBytes: number;
  /** When the last record entered the queue, Unix ms. */
  readonly newestAt: number;
}

export type Records = ReturnType<typeof createRecords>;

const minuteMs = 60_000;
const spreadMs = 3 * 24 * 60 * minuteMs;
const digits = 7;
const numberMark = "#".repeat(digits);
const timeMark = "@".repeat(13);

export function createRecords(options: RecordsOptions) {
  const { count, distribution, bodyBytes, newestAt } = options;
  const enteredAt = (number: number): number => newestAt - Math.floor(ageMs(distribution, number, count));
  const toDlqId = (number: number): string => `${enteredAt(number)}-${toDigits(number)}`;
  const bodyOf = createBody(bodyBytes);
  const toRecords = createTemplate(bodyOf.text);
  return {
    count,
    /** Unix ms; never less than that of the number before. */
    enteredAt,
    toDlqId,
    /** The number of a record, or null if no record has this id. */
    fromDlqId(dlqId: string): number | null {
      const number = Number(dlqId.slice(dlqId.indexOf("-") + 1));
      return Number.isInteger(number) && number < count && toDlqId(number) === dlqId ? number : null;
    },
    /** The number of the record that has this body; null if none has it. */
    fromBody(body: unknown): number | null {
      const number = bodyOf.toNumber(body);
      return number !== null && number < count ? number : null;
    },
    /** The JSON of a listed page. */
    toPage(numbers: readonly number[], cursor: string | null): Buffer {
      const end = cursor === null ? "]}" : `],"cursor":"${cursor}"}`;
      return toRecords(
        numbers.map((number) => [toDigits(number), String(enteredAt(number))]),
        end,
      );
    },
  };
}

const toDigits = (number: number): string => String(number).padStart(digits, "0");

/** Of a record, seen from the newest one. */
function ageMs(distribution: Distribution, number: number, count: number): number {
  const left = 1 - (number + 1) / count;
  switch (distribution) {
    case "even":
      return left * spreadMs;
    case "one-millisecond":
      return 0;
    case "last-minute":
      return left < 0.99 ? (left / 0.99) * minuteMs : minuteMs + ((left - 0.99) / 0.01) * spreadMs;
    case "gaps":
      return Math.floor(left * 10) * (spreadMs / 10) + ((left * 10) % 1) * minuteMs;
  }
}

/** A JSON text as an order has it, all ASCII. Only the number in it differs from record to record. */
function createBody(bytes: number) {
  const head = '{"order":"';
  const start = '","customer":{"name":"Ada Example","city":"Berlin"},"lines":[';
  const line = '{"sku":"A-1024-XL","quantity":2,"price":"19.90","note":"gift wrap, no invoice"},';
  const room = bytes - head.length - digits - start.length - "0]}".length;
  const lines = line.repeat(Math.max(0, Math.floor(room / line.length)));
  const tail = `${start}${lines}0]}`.padEnd(bytes - head.length - digits, " ");
  return {
    text: `${head}${numberMark}${tail}`,
    toNumber(body: unknown): number | null {
      if (typeof body !== "string" || body.length !== head.length + digits + tail.length) return null;
      if (!body.startsWith(head) || !body.endsWith(tail)) return null;
      const number = Number(body.slice(head.length, head.length + digits));
      return Number.isInteger(number) ? number : null;
    },
  };
}

const maxPage = 100;
const pageStart = '{"messages":[';

/** All records have the same length, so a page is a copy with some digits written over. */
function createTemplate(body: string) {
  const record = `${JSON.stringify({
    dlqId: `${timeMark}-${numberMark}`,
    messageId: `msg_${numberMark}`,
    url: "https://orders.example.com/hooks/orders",
    method: "POST",
    header: {
      "Content-Type": ["application/json"],
      "X-Tenant": ["acme"],
      "X-Request-Id": [`0a7e61d8-3f5a-4c0a-9b9f-${numberMark}`],
      Traceparent: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
    },
    body,
    createdAt: timeMark,
    maxRetries: 3,
    label: "orders",
    labels: ["orders"],
    callerIP: "203.0.113.7",
    responseStatus: 503,
    responseHeader: { "Content-Type": ["text/plain"], Server: ["proxy"] },
    responseBody: "upstream connect error or disconnect/reset before headers. reset reason: overflow",
    state: "failed",
  }).replace(`"createdAt":"${timeMark}"`, `"createdAt":${timeMark}`)},`;
  const numbersAt = marksIn(record, numberMark);
  const timesAt = marksIn(record, timeMark);
  const largeRecord = record.length > 100_000;
  const full = Buffer.from(record.repeat(largeRecord ? 1 : maxPage), "latin1");
  return (marks: readonly (readonly [number: string, time: string])[], end: string): Buffer => {
    const recordsEnd = pageStart.length + Math.max(0, marks.length * record.length - 1);
    const page = Buffer.allocUnsafe(recordsEnd + end.length);
    page.write(pageStart, 0, "latin1");
    let at = pageStart.length;
    if (!largeRecord) full.copy(page, at, 0, recordsEnd - at);
    for (const [number, time] of marks) {
      if (largeRecord) full.copy(page, at);
      for (const offset of numbersAt) page.write(number, at + offset, "latin1");
      for (const offset of timesAt) page.write(time, at + offset, "latin1");
      at += record.length;
    }
    page.write(end, recordsEnd, "latin1");
    return page;
  };
}

function marksIn(text: string, mark: string): readonly number[] {
  return [...text.matchAll(new RegExp(mark, "g"))].map(({ index }) => index);
}
