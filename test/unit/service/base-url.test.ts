import { expect, test } from "vitest";
import { parseBaseUrl } from "../../../src/service/base-url.ts";

test.each([
  ["https://qstash.upstash.io", "https://qstash.upstash.io"],
  ["https://qstash.upstash.io/", "https://qstash.upstash.io"],
  ["https://qstash.upstash.io/v2/publish", "https://qstash.upstash.io"],
  ["https://qstash.upstash.io/v2/publish/", "https://qstash.upstash.io"],
  ["https://qstash.upstash.io/v2", "https://qstash.upstash.io"],
  ["https://qstash.upstash.io/v2/", "https://qstash.upstash.io"],
  [" http://127.0.0.1:8080// ", "http://127.0.0.1:8080"],
  ["https://gateway.example/messages/v2/publish/", "https://gateway.example/messages"],
  ["https://gateway.example/messages/", "https://gateway.example/messages"],
  ["http://[::1]:8080/", "http://[::1]:8080"],
])("%s is normalised", (text, url) => {
  const { origin, host, prefix } = parseBaseUrl(text);
  expect([`${origin}${prefix}`, `//${host}`]).toEqual([url, origin.replace(/^https?:/, "")]);
  expect(parseBaseUrl(url)).toEqual(parseBaseUrl(text));
});

test.each([
  ["qstash.upstash.io"],
  ["ftp://qstash.upstash.io"],
  ["https://user:hunter2@qstash.upstash.io"],
  ["https://hunter2@qstash.upstash.io"],
  ["https://qstash.upstash.io?token=hunter2"],
  ["https://qstash.upstash.io/#hunter2"],
  ["https://qstash.upstash.io/?"],
  [""],
])("%s is refused, and the problem does not repeat it", (text) => {
  expect(() => parseBaseUrl(text)).toThrow(/^service\.url: expected a URL (?!.*hunter2)/);
});
