import { isUtf8 } from "node:buffer";
import { parseJson } from "../message/json-value.ts";
import { parseHttpDate } from "../message/moment-texts.ts";

/** Header names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** How our side ended a call before its answer was complete. Its last byte did not leave: `withheld`, `early`. */
export type CallEnd = "timeout" | "stopped" | "withheld" | "early";

export type AnswerBody =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  /** The answer has more than this many allowed bytes. The others were not read. */
  | { readonly kind: "too-large"; readonly bytes: number }
  | { readonly kind: "cut"; readonly by: CallEnd | "failure"; readonly cause?: unknown };

export interface HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly receivedAt: number;
  readonly body: AnswerBody;
}

export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Unix ms of the answer's Date header, in whole seconds; null without a readable one. */
export function dateOf({ headers, receivedAt }: Pick<HttpAnswer, "headers" | "receivedAt">): number | null {
  return parseHttpDate(headerOf(headers, "date")?.trim() ?? "", receivedAt);
}

/** The service's clock as it answered, Unix ms. Within the second of its Date ours is as good, and finer. */
export function serviceNowOf(answer: Pick<HttpAnswer, "headers" | "receivedAt">): number {
  const { receivedAt } = answer;
  const date = dateOf(answer) ?? receivedAt;
  return receivedAt >= date && receivedAt < date + 1_000 ? receivedAt : date;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const anyBytes = new TextDecoder("utf-8");

/**
 * The JSON value of a whole body; undefined: none. Bytes that are not UTF-8 are none: a replacement would alter a
 * message's body without a trace. Numbers beyond 2^53 lose their last digits; nothing here needs them.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * As `parseJsonBody`, of a list. What is not UTF-8 becomes half of a surrogate pair, as a text that was listed broken has
 * it: the record that has it is put aside (`brokenText`), and its neighbours go on. A U+FFFD of the service stays.
 */
export function parseListedJson(bytes: Uint8Array): unknown {
  const parsed = parseJsonBody(bytes);
  if (parsed !== undefined || isUtf8(bytes)) return parsed;
  const escaped = Buffer.from(bytes).toString("latin1").replaceAll("\xef\xbf\xbd", "\\ufffd");
  const marked = anyBytes.decode(Buffer.from(escaped, "latin1")).replaceAll("\ufffd", "\ud800");
  return parseJson(marked);
}
