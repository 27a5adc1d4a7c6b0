import { describe, expect, it } from "vitest";
import { createFailureMatcher } from "../../../../src/people/plan/filter-letters.ts";
import {
  failureKindOf,
  otherFailuresId,
  othersOfAllId,
  unreadableKind,
} from "../../../../src/job/message/failure-kind.ts";
import { letterOf } from "../../../support/letters.ts";

const kindOf = (fields: Record<string, unknown> = {}) =>
  failureKindOf(letterOf({ responseStatus: 503, responseBody: "order 17 is locked", ...fields }));

describe("the kind of a failure", () => {
  it("is its destination, its status and its answer without what varies", () => {
    expect(kindOf()).toEqual({
      id: "eb621348fc",
      origin: "https://api.example.com",
      status: 503,
      text: "order <n> is locked",
    });
  });

  it.each([
    ["another number in the answer", { responseBody: "order 18 is locked" }, true],
    ["another path and query of the host", { url: "https://api.example.com/refunds?id=9" }, true],
    ["another host", { url: "https://pay.example.com/orders" }, false],
    ["another port", { url: "https://api.example.com:8443/orders" }, false],
    ["a queue, which delays others", { queueName: "orders" }, false],
    ["another status", { responseStatus: 500 }, false],
    ["no HTTP answer", { responseStatus: undefined }, false],
    ["another answer", { responseBody: "item 17 is locked" }, false],
    ["a binary answer", { responseBody: "", responseBodyBase64: "AAEC" }, false],
  ])("with %s is the same: %s", (_, fields, isSame) => {
    expect(kindOf(fields).id === kindOf().id).toBe(isSame);
  });

  it("is the same again after thousands of others, and for an answer too long to be remembered", () => {
    const long = `order 17 is locked ${"and waits ".repeat(200)}`;
    const [first, firstLong] = [kindOf(), kindOf({ responseBody: long })];
    for (let n = 0; n < 2_500; n += 1) kindOf({ responseBody: `answer ${"x".repeat(n % 900)} of ${n}` });
    expect(kindOf()).toEqual(first);
    expect(kindOf({ responseBody: long })).toEqual(firstLong);
    expect(firstLong.text.length).toBeLessThanOrEqual(120);
  });

  it("of a destination that is no URL has a place of its own", () => {
    expect(kindOf({ url: "not a url" })).toMatchObject({ origin: "(unreadable)", status: 503 });
    expect(kindOf({ url: "not a url" }).id).not.toBe(unreadableKind.id);
  });

  it("has 10 hex digits, and those of other failures and of none cannot be mistaken for one", () => {
    expect(kindOf().id).toMatch(/^[0-9a-f]{10}$/);
    for (const id of [otherFailuresId("https://api.example.com"), othersOfAllId, unreadableKind.id]) {
      expect(id).not.toMatch(/^[0-9a-f]{10}$/);
    }
  });
});

describe("an id that selects", () => {
  const { origin } = kindOf();
  const others = otherFailuresId(origin);
  const elsewhere = kindOf({ url: "https://pay.example.com" });

  it.each([
    ["a kind's own", kindOf().id, [], kindOf(), true],
    ["another kind's", elsewhere.id, [], kindOf(), false],
    ["of a destination's others, and the kind is not recorded", others, [], kindOf(), true],
    ["of a destination's others, and the kind is recorded", others, [kindOf().id], kindOf(), false],
    ["of another destination's others", others, [], elsewhere, false],
    ["of all others, and neither is recorded", othersOfAllId, [], kindOf(), true],
    ["of all others, and the kind is recorded", othersOfAllId, [kindOf().id], kindOf(), false],
    ["of all others, and its destination has others", othersOfAllId, [others], kindOf(), false],
  ])("%s", (_, id, recorded, kind, isSelected) => {
    expect(createFailureMatcher(id, new Set(recorded))(kind)).toBe(isSelected);
  });
});
