import { describe, expect, test } from "vitest";
import {
  namesOfDestination,
  namesOfOrigin,
  overlaps,
  toDestinationName,
} from "../../../../src/job/message/destination-names.ts";
import { words } from "../../../support/words.ts";

describe("what a person calls a destination", () => {
  test.each([
    ["pay.example.com", "pay.example.com"],
    ["PAY.Example.com", "pay.example.com"],
    ["pay.example.com:8443", "pay.example.com:8443"],
    ["pay.example.com:443", "pay.example.com:443"],
    ["https://pay.example.com", "https://pay.example.com"],
    ["https://pay.example.com/", "https://pay.example.com"],
    ["https://pay.example.com:443", "https://pay.example.com"],
    ["http://pay.example.com:8080", "http://pay.example.com:8080"],
    ["[::1]:8080", "[::1]:8080"],
    ["::1", "[::1]"],
    ["pay.example.com.", "pay.example.com"],
    ["https://pay.example.com.:8443", "https://pay.example.com:8443"],
    ["münchen.example", "xn--mnchen-3ya.example"],
    ["queue:invoices", "queue:invoices"],
    ["queue:of two words", "queue:of two words"],
  ])("%s is %s", (text, name) => {
    expect(toDestinationName(text)).toBe(name);
  });

  test.each([
    ...words(`
      queue: pay.example.com/hook https://pay.example.com/hook https://pay.example.com?a=b ftp://pay.example.com
      user@pay.example.com pay.example.com:99999
    `),
    "",
    "pay example.com",
    // What holds nothing: a pause has no stars, and no receiver has such a host.
    ...words("*.example.com ${HOST} pay–eu.example.com"),
  ])("%j is none", (text) => {
    expect(toDestinationName(text)).toBeNull();
  });
});

describe("the names of a destination", () => {
  test.each([
    [{ destination: "https://p.example/hook?a=b" }, ["https://p.example", "p.example:443", "p.example"]],
    [
      { destination: "http://p.example:81/", queue: "invoices" },
      ["http://p.example:81", "p.example:81", "p.example", "queue:invoices"],
    ],
    [{ destination: "no address" }, []],
  ])("of %j", (item, names) => {
    expect(namesOfDestination(item)).toEqual(names);
  });

  test("of a lane are those of its origin, or its queue's alone", () => {
    expect(namesOfOrigin("https://pay.example.com")).toContain("pay.example.com:443");
    expect(namesOfOrigin("queue:invoices")).toEqual(["queue:invoices"]);
  });

  test("overlap if one means a part of the other", () => {
    expect(overlaps("pay.example.com", "https://pay.example.com")).toBe(true);
    expect(overlaps("https://pay.example.com", "pay.example.com:443")).toBe(true);
    expect(overlaps("pay.example.com:443", "pay.example.com")).toBe(true);
    expect(overlaps("pay.example.com:8443", "pay.example.com:443")).toBe(false);
    expect(overlaps("queue:a", "a")).toBe(false);
  });
});
