import { expect, it } from "vitest";
import { createHostCheck } from "../../../../../src/people/console/access/host-names.ts";

it.each([
  "localhost",
  "LOCALHOST:9468",
  "127.0.0.1:9468",
  "127.8.0.1",
  "[::1]:9468",
  "redriver.example.com",
  "Redriver.Example.com:443",
  "a.ops.example.com",
])("takes %s", (host) => {
  expect(createHostCheck(["redriver.example.com", "*.ops.example.com"])(host)).toBe(true);
});

it.each([
  undefined,
  "",
  "evil.example",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "evil.example:9468",
  "localhost:9468:1",
  "localhost/",
  "localhost@evil.example",
  "user@localhost",
  "localhost evil.example",
  "[::1].evil.example",
  "ops.example.com",
  "xops.example.com",
  "127.1",
  "0.0.0.0",
  "[::]",
])("refuses %s", (host) => {
  expect(createHostCheck(["redriver.example.com", "*.ops.example.com"])(host)).toBe(false);
});

it("takes any well-formed name with *", () => {
  const isOwn = createHostCheck(["*"]);
  expect([isOwn("anything.example"), isOwn("a b"), isOwn(undefined)]).toEqual([true, false, false]);
});
