export type ParsedBaseUrl =
  | { readonly kind: "base-url"; readonly url: string }
  | { readonly kind: "problem"; readonly problem: string };

/**
 * Reads the address of a message service and answers it without trailing slash: scheme, host, port and path
 * prefix. A trailing `/v2` or `/v2/publish`, with or without slash, is cut off, because QSTASH_URL often has
 * one. The problem names the expectation and never repeats the text, which may hold a password.
 */
export function parseBaseUrl(text: string): ParsedBaseUrl {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return problem("expected a URL such as https://service.example, got text that is not a URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return problem(`expected a URL that begins with http:// or https://, got ${url.protocol}//`);
  }
  if (url.username !== "" || url.password !== "") {
    return problem(
      "expected a URL without user name and password; the token has its own setting, service.token",
    );
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    return problem("expected a URL without query and fragment");
  }
  const prefix = url.pathname.replace(/\/+$/, "").replace(/\/v2(?:\/publish)?$/, "");
  return { kind: "base-url", url: `${url.origin}${prefix.replace(/\/+$/, "")}` };
}

function problem(text: string): ParsedBaseUrl {
  return { kind: "problem", problem: text };
}
