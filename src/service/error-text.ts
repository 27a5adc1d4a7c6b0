import { isObject, parseJsonBody, type AnswerBody } from "./answer.ts";
import { inToldWords } from "./told-words.ts";

const maxErrorChars = 200;
// Longer bodies are a proxy's page, not the service's `{"error":"…"}`; only their beginning is looked at.
const maxErrorBytes = 65_536;
const removed = "[removed]";

/** The service's error text as it came: `{"error":"…"}`, else the body's beginning. Empty when the body was cut. */
export function rawErrorText(body: AnswerBody): string {
  if (body.kind !== "whole") return "";
  if (body.bytes.byteLength <= maxErrorBytes) {
    const parsed = parseJsonBody(body.bytes);
    if (parsed.kind === "json" && isObject(parsed.value)) {
      const { error, message } = parsed.value;
      if (typeof error === "string") return error;
      if (isObject(error) && typeof error["message"] === "string") return error["message"];
      if (typeof message === "string") return message;
    }
  }
  return new TextDecoder().decode(body.bytes.subarray(0, maxErrorBytes));
}

/** The text that may be told: that of `{"error":"…"}`. Any other body may be a proxy's page that repeats what was sent. */
export function toldErrorText(body: AnswerBody, token: string): string {
  const text = rawErrorText(body);
  const isOwn = body.kind === "whole" && parseJsonBody(body.bytes).kind === "json";
  return isOwn || text.trimStart().startsWith("quota ") ? toErrorText(text, token) : "";
}

/**
 * Makes text of the service fit for logs: one line, at most 200 characters, nothing in it that looks like a token, nothing that it
 * quotes, and no word that is not one of those in which a service says what is wrong (told-words.ts).
 */
export function toErrorText(text: string, token: string): string {
  const plain = withoutToken(text, token)
    .replace(/"[^"]*"?|\{.*/gs, '"…"')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const line = inToldWords(plain);
  if (line.length <= maxErrorChars) return line;
  // Cutting may halve a surrogate pair.
  return `${line.slice(0, maxErrorChars - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function withoutToken(text: string, token: string): string {
  let rest = text;
  // A service may repeat only the beginning of a token, so eight equal characters are enough to remove the word.
  if (token !== "") {
    const head = token.slice(0, 8).replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    rest = rest.replace(new RegExp(`${head}[^\\s"']*`, "g"), removed);
  }
  return rest
    .replace(/\bBearer\s+[^\s"']+/gi, `Bearer ${removed}`)
    .replace(/\beyJ[\w+/=.-]{13,}/g, removed)
    .replace(/[\w+=-]{40,}/g, removed);
}
