import { expect, it } from "vitest";
import { toLocalPath, toOwnPath, toPublicHtml, toPublicPath } from "../../../../src/people/console/paths.ts";

it.each(["/", "/failures?host=a.example&all", "/failures/ab%2F1", "/a//b"])("goes back to %s", (path) => {
  expect(toLocalPath(path)).toBe(path);
});

it.each([
  undefined,
  "",
  "failures",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "/a\\b",
  "/a\r\nSet-Cookie: x",
  "/\t/evil.example",
  "/ä",
  "/a b",
])("goes to the first page instead of %j", (path) => {
  expect(toLocalPath(path)).toBe("/");
});

it.each([
  ["/r", "/", "/r/"],
  ["/r", "/failures?all=yes#x", "/r/failures?all=yes#x"],
  ["/r", "#main", "#main"],
  ["/r", "//other.example/x", "//other.example/x"],
  ["/r", "https://other.example/x", "https://other.example/x"],
  ["", "/failures", "/failures"],
])("below %j browsers reach %s as %s", (base, path, shown) => {
  expect(toPublicPath(base, path)).toBe(shown);
});

it.each([
  ["/r", "/r", "/"],
  ["/r", "/r/", "/"],
  ["/r", "/r/failures", "/failures"],
  ["/r", "/failures", "/failures"],
  ["/r", "/r/r/failures", "/r/failures"],
  ["/r", "/rules", "/rules"],
  ["", "/", "/"],
  ["", "/r/failures", "/r/failures"],
])("below %j a request for %s is for %s", (base, path, own) => {
  expect(toOwnPath(base, path)).toBe(own);
});

it("paths of texts and of other attributes stay as they are", () => {
  const html = '<a href="/a" title="/t">href=&quot;/x&quot; "/y"</a><body data-live=""><img src="/i"/>';
  const shown = '<a href="/r/a" title="/t">href=&quot;/x&quot; "/y"</a><body data-live=""><img src="/r/i"/>';
  expect(toPublicHtml("/r", html)).toBe(shown);
});
