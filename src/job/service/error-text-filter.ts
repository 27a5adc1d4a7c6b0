import { isObject } from "../message/json-value.ts";
import { jsonErrorText } from "../message/signature/json-error-text.ts";
import { normaliseText } from "../message/signature/normalise-text.ts";
import { parseJsonBody, type AnswerBody } from "./http-answer.ts";
import { describePage } from "./proxy-page.ts";

/**
 * Limit for the shown text of a service's error. A service may repeat its input: the token, a header's value,
 * part of a body. So the token is removed. Then ids, addresses, secrets and quotations become placeholders
 * (message/signature). Then it is cut.
 */
const maxErrorChars = 200;
/** Longer bodies are a proxy's page, not the service's `{"error":"…"}`; only their beginning is searched. */
const maxErrorBytes = 65_536;
const removed = "[removed]";

/**
 * The error of a body, fit to show. JSON is shown by its error text. Any other body may be a proxy's page that repeats
 * its input: it is shown by its size and a known phrase. Empty if there is no body, or it was cut.
 */
export function toShownErrorText(body: AnswerBody, token: string): string {
  if (body.kind !== "whole" || body.bytes.byteLength === 0) return "";
  const text = rawErrorText(body);
  if (text.trimStart().startsWith("quota ")) return toErrorText(text, token);
  const { byteLength } = body.bytes;
  if (byteLength <= maxErrorBytes) {
    const error = jsonErrorText(withoutToken(new TextDecoder().decode(body.bytes), token), true);
    if (error !== null) return cut(error);
  }
  return describePage(text, byteLength);
}

/** A text of the service, fit to show: one line, at most 200 characters, no token, ids or quotations. */
export function toErrorText(text: string, token: string): string {
  return cut(normaliseText(withoutToken(text.slice(0, maxErrorBytes), token)));
}

function cut(masked: string): string {
  // JSON within a text is part of a message, and so is a quotation without an end.
  const text = masked.replace(/["{].*/s, "<text>");
  if (text.length <= maxErrorChars) return text;
  // Cutting may halve a surrogate pair.
  return `${text.slice(0, maxErrorChars - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function withoutToken(text: string, token: string): string {
  if (token === "") return text;
  // A service may repeat only a token's beginning, so eight equal characters are enough to remove the word.
  const head = token.slice(0, 8).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return text.replace(new RegExp(`${head}[^\\s"']*`, "g"), removed);
}

/** The service's error text as it came: `{"error":"…"}`, else the body's beginning. Empty if it was cut. */
export function rawErrorText(body: AnswerBody): string {
  return readErrorText(body).toWellFormed();
}

function readErrorText(body: AnswerBody): string {
  if (body.kind !== "whole") return "";
  if (body.bytes.byteLength <= maxErrorBytes) {
    const parsed = parseJsonBody(body.bytes);
    if (isObject(parsed)) {
      const { error, message } = parsed;
      if (typeof error === "string") return error;
      if (isObject(error) && typeof error["message"] === "string") return error["message"];
      if (typeof message === "string") return message;
    }
  }
  return new TextDecoder().decode(body.bytes.subarray(0, maxErrorBytes));
}
