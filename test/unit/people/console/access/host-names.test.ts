import { expect, it } from "vitest";
import { createHostCheck } from "../../../../../src/people/console/access/front-door.ts";
import { words } from "../../../../support/words.ts";

const isOwn = createHostCheck(["redriver.example.com", "*.ops.example.com"]);

it.each(
  words(`
    localhost LOCALHOST:9468 127.0.0.1:9468 127.8.0.1 [::1]:9468
    redriver.example.com Redriver.Example.com:443 a.ops.example.com
  `),
)("takes %s", (host) => {
  expect(isOwn(host)).toBe(true);
});

it.each([
  undefined,
  "",
  "localhost evil.example",
  ...words(`
    evil.example 127.0.0.1.evil.example localhost.evil.example evil.example:9468 localhost:9468:1 localhost/
    localhost@evil.example user@localhost [::1].evil.example ops.example.com xops.example.com 127.1 0.0.0.0 [::]
  `),
])("refuses %s", (host) => {
  expect(isOwn(host)).toBe(false);
});

it("takes any well-formed name with *", () => {
  const isAny = createHostCheck(["*"]);
  expect([isAny("anything.example"), isAny("a b"), isAny(undefined)]).toEqual([true, false, false]);
});
