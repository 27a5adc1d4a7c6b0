import { parseUrl } from "../message/parse-url.ts";
import type { Parsed } from "../rules/patterns/parsed.ts";

const expected =
  'an http(s) address of at most 500 characters without spaces, user, query and fragment, such as "https://redriver.example.com/callbacks"';

/** Without trailing slash. The path is kept as it is spelled in a URL: it is what a callback must have been sent to. */
export function parseCallbackUrl(value: unknown): Parsed<string> {
  const isText = typeof value === "string" && value.length <= 500 && !/[\s\p{Cc}]/u.test(value);
  const url = isText ? parseUrl(value) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return { ok: false, expected };
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return { ok: false, expected };
  }
  return { ok: true, value: url.origin + url.pathname.replace(/\/+$/, "") };
}
