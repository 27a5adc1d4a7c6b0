import { isObject } from "../message/json-value.ts";
import { parseJsonBody, type AnswerBody } from "./answer.ts";
import { findKnownPhrase } from "./known-pages.ts";
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

/**
 * What may be told of an error's body: the text of the service's own JSON as toErrorText leaves it. Of any other body, which may be a
 * proxy's page that repeats what was sent, its size and a phrase of ours that it has. Empty when there is none, or it was cut.
 */
export function toShownErrorText(body: AnswerBody, token: string): string {
  if (body.kind !== "whole" || body.bytes.byteLength === 0) return "";
  const text = rawErrorText(body);
  if (text.trimStart().startsWith("quota ")) return toErrorText(text, token);
  const { byteLength } = body.bytes;
  const parsed = byteLength <= maxErrorBytes ? parseJsonBody(body.bytes) : { kind: "not-json" as const };
  if (parsed.kind === "json") return toErrorText(textOfOther(parsed.value) ?? text, token);
  const phrase = findKnownPhrase(text);
  const what = `${/<html|<!doctype/i.test(text) ? "a page" : "a text"} of ${byteLength} bytes`;
  return phrase === null ? `${what}, not repeated here` : `${what} that says "${phrase}"`;
}

/** Where frameworks put an error's text in place of `error` and `message`. What is not told there decides nothing. */
const otherKeys = ["detail", "title", "reason", "error_description", "description", "msg"] as const;

function textOfOther(value: unknown): string | undefined {
  if (!isObject(value) || typeof value["error"] === "string") return undefined;
  const { errors } = value;
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : [];
  if (typeof first === "string") return first;
  if (isObject(first) && typeof first["message"] === "string") return first["message"];
  if (isObject(value["error"]) || typeof value["message"] === "string") return undefined;
  return otherKeys.map((key) => value[key]).find((text) => typeof text === "string");
}

/**
 * Makes text of the service fit for logs: one line, at most 200 characters, nothing in it that looks like a token, nothing that it
 * quotes, and no word that is not one of those in which a service says what is wrong (told-words.ts). Where nothing of it is left, its
 * length.
 */
export function toErrorText(text: string, token: string): string {
  const plain = withoutToken(text, token)
    .replace(/"[^"]*"?|\{.*/gs, '"…"')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const line = inToldWords(plain);
  if (line !== "" && !/\p{L}|\d/u.test(line)) return `a text of ${text.length} characters, not repeated here`;
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
