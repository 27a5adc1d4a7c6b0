import { parseUrl } from "../job/message/destination-url.ts";
import type { Parsed } from "../job/rules/parsed.ts";

const serviceExpected =
  'an http(s) address without spaces, user, query and fragment, such as "https://qstash.upstash.io"';
const callbackExpected =
  'an http(s) address of at most 500 characters without spaces, user, query and fragment, such as "https://redriver.example.com/callbacks"';

/** People keep QSTASH_URL with `/v2` or `/v2/publish` (remote-contract: environment names people have). */
export function parseServiceUrl(value: unknown): Parsed<string> {
  const url = typeof value === "string" && isOneWord(value) ? parsePlainUrl(value) : null;
  if (url === null) return { ok: false, expected: serviceExpected };
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v2(\/publish)?$/, "");
  return { ok: true, value: url.origin + path.replace(/\/+$/, "") };
}

/** Without trailing slash. The path stays as it is spelled in a URL: it is what a callback must have been sent to. */
export function parseCallbackUrl(value: unknown): Parsed<string> {
  const isText = typeof value === "string" && value.length <= 500 && !/[\s\p{Cc}]/u.test(value);
  const url = isText ? parsePlainUrl(value) : null;
  if (url === null) return { ok: false, expected: callbackExpected };
  return { ok: true, value: url.origin + url.pathname.replace(/\/+$/, "") };
}

const notifyExpected =
  'an http(s) address without spaces, user and fragment, such as "https://hooks.example.com/oncall"';

/** An address of `notify`, as written. Its path and query may be a secret, so the value is never repeated. */
export function parseNotifyUrl(value: unknown): Parsed<string> {
  const isWord = typeof value === "string" && isOneWord(value) && !value.includes("[set]");
  const url = isWord ? parseUrl(value) : null;
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") {
    return { ok: false, expected: notifyExpected };
  }
  return { ok: true, value: url.href };
}

function parsePlainUrl(text: string): URL | null {
  const url = parseUrl(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  const { username, password, search, hash } = url;
  return [username, password, search, hash].every((part) => part === "") ? url : null;
}

/** `new URL` drops or encodes spaces, and completes `https:host`: another address would be called. */
function isOneWord(text: string): boolean {
  return text.length <= 2_048 && /^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text);
}
