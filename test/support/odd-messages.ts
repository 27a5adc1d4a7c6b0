import * as fc from "fast-check";
import { anyText } from "./fuzzing.ts";

/**
 * Messages as no client would send them, between the plain ones. None asks for a wait of more than a second,
 * so all come to their end.
 */
const prefixed = [
  [
    "Method",
    "Forward-X-Odd",
    "Forward-Host",
    "Forward-Content-Length",
    "Forward-Transfer-Encoding",
    "Forward-",
  ],
  [
    "Forward-Connection",
    "Forward-:authority",
    "Forward-__proto__",
    "Forward-X Y",
    "Forward-ü",
    "Forward-Cookie",
  ],
  [
    "Retries",
    "Retry-Delay",
    "Timeout",
    "Callback",
    "Failure-Callback",
    "Callback-Forward-X",
    "Callback-Method",
  ],
  ["Failure-Callback-Forward-Expect", "Label", "Deduplication-Id", "Content-Based-Deduplication"],
  ["Redact-Fields", "Unknown", "", "Flow-Control-Key"],
].flat();

export const headerNames: readonly string[] = [
  ...prefixed.flatMap((name) => [`Upstash-${name}`, `upstash-${name.toLowerCase()}`]),
  "Content-Type",
  "__proto__",
  "constructor",
  "X-Plain",
  "Upstash",
  "Service-Retries",
];

export const settingValue: fc.Arbitrary<string> = fc.oneof(
  anyText(30),
  fc.constantFrom(
    "",
    " ",
    "0",
    "1",
    "2",
    "-1",
    "1e9",
    "99999999999999999999",
    "NaN",
    "true",
    "POST",
    "CONNECT",
  ),
  fc.constantFrom("TRACE", "get", "HTTP/1.1", "\r\nX-Injected: yes", "a\nb", "\0", "\uD800", "ü", "中", "😀"),
  fc.constantFrom("1s", "0s", "body", "header", "header[]", "header[X]", "header[[", "retried", "1/0"),
  fc.constantFrom("pow(2,9999)", "0-1", "1000 * (", `${"(".repeat(5_000)}1`, `${"1+".repeat(5_000)}1`),
  fc.constantFrom("x".repeat(9_000), 'text/plain; charset="', "a,b,,c,", "a:b", "__proto__", "chunked"),
  fc.constantFrom("http://127.0.0.1:1/", "100-continue", "x=y; x=z"),
);

export const destinations = (receiverUrl: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(`${receiverUrl}/status/500`, `${receiverUrl}/status/200`, `${receiverUrl}/binary/500`),
    fc.constantFrom(
      "group",
      "http://127.0.0.1:1/",
      "https://localhost:1/",
      "http://[::1]:1/",
      "http://u:p@127.0.0.1:1/",
    ),
    fc.constantFrom(
      "http://",
      "http:///",
      "//127.0.0.1:1",
      "ftp://127.0.0.1/",
      "file:///etc/hostname",
      "javascript:1",
    ),
    fc.constantFrom(
      "http://nobody.invalid/",
      "http://127.0.0.1:99999/",
      "HTTP://LOCALHOST:1",
      "__proto__",
      "",
      " ",
    ),
    fc.constantFrom(
      `http://nobody.invalid/${"x".repeat(20_000)}`,
      "http://nobody.invalid/\uD800",
      "http://\0/",
    ),
    anyText(20),
  );

export const oddItem = (receiverUrl: string): fc.Arbitrary<unknown> =>
  fc.record(
    {
      destination: mostly(destinations(receiverUrl)),
      queue: fc.oneof(
        fc.constantFrom("queue", "__proto__", "", "\uD800", "a/b"),
        fc.string(),
        fc.jsonValue(),
      ),
      headers: mostly(
        fc.array(fc.tuple(fc.constantFrom(...headerNames), settingValue), { maxLength: 4 }).map(ownEntries),
      ),
      body: fc.oneof(anyText(), fc.constant("\uD800"), fc.jsonValue()),
      ["__proto__"]: fc.jsonValue(),
    },
    { requiredKeys: ["destination"] },
  );

const mostly = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() });

/** `__proto__` becomes a key like any other. */
function ownEntries(pairs: readonly (readonly [string, string])[]): unknown {
  const object: Record<string, string> = {};
  for (const [name, value] of pairs) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}
