import { parseUrl } from "../message/parse-url.ts";
import type { Parsed } from "../rules/patterns/parsed.ts";

const expected =
  'an http(s) address without spaces, user, query and fragment, such as "https://qstash.upstash.io"';

/**
 * The base URL of a service: without trailing slash, `/v2` and `/v2/publish`. People keep QSTASH_URL with any of these
 * (remote-contract: environment names people already have). The value is never repeated: it may carry credentials.
 */
export function parseServiceUrl(value: unknown): Parsed<string> {
  const url = typeof value === "string" && isOneWord(value) ? parseUrl(value) : null;
  if (url === null) return { ok: false, expected };
  const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!plain || !["http:", "https:"].includes(url.protocol)) return { ok: false, expected };
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v2(\/publish)?$/, "");
  return { ok: true, value: url.origin + path.replace(/\/+$/, "") };
}

/** `new URL` drops or encodes spaces and line breaks, and completes `https:host`: what is called then is not what was written. */
function isOneWord(text: string): boolean {
  return text.length <= 2_048 && /^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text);
}
