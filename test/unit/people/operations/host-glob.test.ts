import { expect, it } from "vitest";
import { hostGlob } from "../../../../src/people/operations/fields.ts";

it.each(["api.example.com/in", "https://api.example.com:8443/in?a=1", "[::1]:80/x", "two words", " "])(
  "a filter of hosts refuses what no host can match: %s",
  (text) => expect(hostGlob.safeParse(text).success).toBe(false),
);

it.each([
  "*.example.com",
  "https://api.example.com:8443/",
  "[::1]:80",
  "ftp://x",
  "queue:a /b",
  "(unreadable)",
])("a filter of hosts takes what lists show: %s", (text) =>
  expect(hostGlob.safeParse(text).success).toBe(true),
);
