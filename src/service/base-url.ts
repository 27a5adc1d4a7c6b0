import { RedriverError } from "../ports/errors.ts";

export interface BaseUrl {
  readonly origin: string;
  readonly host: string;
  /** Of every path; without trailing slash. */
  readonly prefix: string;
}

/**
 * Reads the address of a message service. A trailing `/v2` or `/v2/publish`, with or without slash, is cut
 * off, because QSTASH_URL often has one. Throws `settings-invalid` with the expectation. It never repeats the
 * text, which may hold a password.
 */
export function parseBaseUrl(text: string): BaseUrl {
  if (!URL.canParse(text.trim())) {
    throw invalid("a URL such as https://service.example, got text that is not a URL");
  }
  const url = new URL(text.trim());
  const { protocol, origin, host, pathname } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw invalid(`a URL that begins with http:// or https://, got ${protocol}//`);
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("a URL without user name and password; the token has its own setting, service.token");
  }
  if (/[?#]/.test(text)) throw invalid("a URL without query and fragment");
  const prefix = pathname.replace(/\/+$/, "").replace(/\/v2(?:\/publish)?$/, "");
  return { origin, host, prefix: prefix.replace(/\/+$/, "") };
}

function invalid(expected: string): RedriverError {
  return new RedriverError("settings-invalid", `service.url: expected ${expected}`);
}
