import { expect, it } from "vitest";
import { matchPath, toLocalPath } from "../../../src/console/paths.ts";

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
  ["/failures/:id", "/failures/a%2Fb", { id: "a/b" }],
  ["/", "/", {}],
  ["/failures", "/failures/x", null],
  ["/failures/:id", "/parked/x", null],
  ["/failures/:id", "/failures/%E0%A4%A", null],
])("matches %s with %s", (pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params);
});
