/**
 * What a bulk delete asks for, by section 4.3 of the interface alone: a second reading, which shares nothing
 * with the emulator's. It is lenient where the document is silent (such a call may also be refused), and
 * strict about what may disappear.
 */
export interface KnownLetter {
  readonly dlqId: string;
  readonly messageId: string;
  readonly url: string;
  readonly topicName?: string;
  readonly scheduleId?: string;
  readonly queueName?: string;
  readonly flowControlKey?: string;
  readonly callerIP: string;
  readonly responseStatus: number;
  readonly labels: readonly string[];
}

export interface Asked {
  /** "refuse": must be answered with 4xx. "grant": with 200. "either": the documents do not say. */
  readonly answer: "refuse" | "grant" | "either";
  readonly matching: ReadonlySet<string>;
  /** How many of those may go; fewer only where a cursor was given. */
  readonly limit: number;
  readonly fromCursor: boolean;
}

const single = ["cursor", "messageId", "fromDate", "toDate", "count"];
const several = ["url", "topicName", "scheduleId", "queueName", "responseStatus", "callerIp", "label"];
const known = new Set([...single, ...several, "dlqIds", "flowControlKey"]);
const largest = 100;

export function askedToDelete(rawQuery: string, letters: readonly KnownLetter[]): Asked {
  const pairs = [...new URLSearchParams(rawQuery)];
  const refuse: Asked = { answer: "refuse", matching: new Set(), limit: 0, fromCursor: false };
  if (pairs.some(([name]) => !known.has(name))) return refuse;

  const all = (name: string): string[] => pairs.filter(([other]) => other === name).map(([, value]) => value);
  const dlqIds = list(all("dlqIds"), /,/);
  if (dlqIds !== undefined) {
    const ids = new Set(dlqIds);
    const matching = new Set(letters.map(({ dlqId }) => dlqId).filter((id) => ids.has(id)));
    const isPlain = /^[\x21-\x7e]*$/.test(rawQuery);
    const alone = isPlain && pairs.every(([name]) => name === "dlqIds") && dlqIds.length <= largest;
    return { answer: alone ? "grant" : "either", matching, limit: largest, fromCursor: false };
  }

  const numbers = ["fromDate", "toDate", "count", "responseStatus"].flatMap((name) =>
    (name === "responseStatus" ? (list(all(name), /,/) ?? []) : all(name)).map((text) => ({ name, text })),
  );
  if (numbers.some(({ text }) => text !== "" && !/^\s*[+-]?\d+\s*$/.test(text))) return refuse;
  if (numbers.some(({ name, text }) => name === "count" && Number(text) > largest)) return refuse;

  const cursors = all("cursor").filter((text) => text !== "");
  const counts = all("count").filter((text) => text !== "");
  const limit = counts.length === 0 ? largest : Math.max(0, ...counts.map(Number));
  const isPlain =
    cursors.length === 0 &&
    single.every((name) => all(name).length <= 1) &&
    limit > 0 &&
    // A request target is ASCII (RFC 9112, section 3.2), and escapes are of UTF-8.
    /^[\x21-\x7e]*$/.test(rawQuery) &&
    !pairs.some(([, value]) => value.includes("\uFFFD")) &&
    pairs.every(([, value]) => value.trim() === value && /[^,]/.test(value) && !value.includes("\0")) &&
    numbers.every(({ text }) => /^[1-9]\d{0,14}$/.test(text) || text === "0");
  return {
    answer: isPlain ? "grant" : "either",
    matching: new Set(letters.filter((letter) => matches(letter, all)).map(({ dlqId }) => dlqId)),
    limit,
    fromCursor: cursors.length > 0,
  };
}

/** What is wrong with an answer that named these records; undefined if nothing is. */
export function wrongWith(asked: Asked, status: number, named: readonly string[]): string | undefined {
  if (status !== 200) {
    if (asked.answer === "grant") return `refused with ${status} what is to be granted`;
    return named.length > 0 ? `refused with ${status}, and acted all the same` : undefined;
  }
  if (asked.answer === "refuse") return "granted what is to be refused";
  const stray = named.filter((id) => !asked.matching.has(id));
  if (stray.length > 0) return `${stray.join(" ")} not asked for`;
  if (new Set(named).size !== named.length) return "a record more than once";
  const most = Math.min(asked.limit, asked.matching.size);
  const fits = asked.fromCursor ? named.length <= most : named.length === most;
  return fits ? undefined : `${named.length} records instead of ${most}`;
}

function matches(letter: KnownLetter, all: (name: string) => string[]): boolean {
  const enteredAt = Number(letter.dlqId.split("-")[0]);
  const oneOf = (name: string, values: readonly (string | undefined)[], comma = /,/): boolean => {
    const wanted = list(all(name), comma);
    return wanted === undefined || wanted.some((value) => values.includes(value));
  };
  const within = (name: string, holds: (bound: number) => boolean): boolean =>
    all(name).every((text) => text === "" || holds(Number(text)));
  return (
    within("fromDate", (bound) => enteredAt >= bound) &&
    within("toDate", (bound) => enteredAt <= bound) &&
    all("messageId").every((id) => id === "" || id === letter.messageId) &&
    // A URL may hold a comma: only one that a scheme follows separates.
    oneOf("url", [letter.url], /,(?=https?:\/\/)/i) &&
    oneOf("topicName", [letter.topicName]) &&
    oneOf("scheduleId", [letter.scheduleId]) &&
    oneOf("queueName", [letter.queueName]) &&
    oneOf("callerIp", [letter.callerIP]) &&
    oneOf("flowControlKey", [letter.flowControlKey]) &&
    oneOf("label", letter.labels) &&
    statusMatches(list(all("responseStatus"), /,/), letter.responseStatus)
  );
}

const statusMatches = (wanted: readonly string[] | undefined, status: number): boolean =>
  wanted === undefined || wanted.some((text) => Number(text) === status);

/**
 * Repeated and comma-separated values alike; undefined when none is left, which counts as not given. A blank
 * is a value, which no record has; blanks around a value may be there or not.
 */
/** Commas with nothing between them name nothing, which is not the same as giving nothing. */
function list(values: readonly string[], comma: RegExp): string[] | undefined {
  const given = values.filter((value) => value !== "");
  if (given.length === 0) return undefined;
  const parts = given.flatMap((value) => value.split(comma)).filter((part) => part !== "");
  return parts.length === 0 ? [","] : parts.map((part) => part.trim());
}
