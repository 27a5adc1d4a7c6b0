import { expect, test } from "vitest";
import { parseServiceUrl } from "../../../src/config/service-and-callback-urls.ts";

test.each([
  ["https://qstash.upstash.io", "https://qstash.upstash.io"],
  ["https://qstash.upstash.io/v2/publish/", "https://qstash.upstash.io"],
  ["http://127.0.0.1:8080//", "http://127.0.0.1:8080"],
  ["https://qstash.upstash.io/?", "https://qstash.upstash.io"],
  ["https://gateway.example/messages/v2/publish/", "https://gateway.example/messages"],
])("%s is normalised", (text, url) => {
  expect(parseServiceUrl(text)).toEqual({ ok: true, value: url });
  expect(parseServiceUrl(url)).toEqual({ ok: true, value: url });
});

test.each([
  ["qstash.upstash.io"],
  ["https://user:hunter2@qstash.upstash.io"],
  ["https://qstash.upstash.io?token=hunter2"],
  ["https://qstash.upstash.io/#hunter2"],
  [""],
])("%s is refused, and the problem does not repeat it", (text) => {
  const answer = parseServiceUrl(text);
  expect(answer).toMatchObject({ ok: false });
  expect(JSON.stringify(answer)).not.toContain("hunter2");
});
