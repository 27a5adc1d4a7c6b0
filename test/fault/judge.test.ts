import { describe, expect, it } from "vitest";
import { judgeAnyMoment, judgeEnd } from "./judge.ts";
import type { KnownLetter, Observation } from "./observe.ts";

const acceptance = { seq: 1, at: 1, suffix: 1, messageId: "m-1" } as const;
const deleted = { seq: 2, at: 2, by: "ids" } as const;
const common = { source: "main", since: 0, isUnprovable: false } as const;

/** One of each ending, as it is to end. */
const delivered: KnownLetter = {
  ...common,
  key: "key-1",
  dlqId: "1-0",
  ending: "delivered",
  acceptances: [acceptance],
  deleted,
  isListed: false,
  state: "gone",
};
const dropped: KnownLetter = {
  ...delivered,
  key: "key-2",
  dlqId: "2-0",
  ending: "dropped",
  acceptances: [],
};
const copied: KnownLetter = {
  ...dropped,
  key: "key-3",
  dlqId: "3-0",
  ending: "copied",
  deleted: null,
  isListed: true,
  state: "absent",
};
const asPromised: Observation = {
  letters: [delivered, dropped, copied],
  archived: { dropped: new Set(["2-0"]), "near-expiry": new Set(["3-0"]) },
  damage: [],
  deliveries: new Map([["key-1", 1]]),
  isAudited: () => true,
};
const judge = (changed: Partial<Observation>): string => {
  const seen = { ...asPromised, ...changed };
  return [...judgeAnyMoment(seen), ...judgeEnd(seen)].join("\n");
};
const withLetter = (letter: KnownLetter, changed: Partial<KnownLetter>): Partial<Observation> => ({
  letters: asPromised.letters.map((one) => (one === letter ? { ...one, ...changed } : one)),
});

describe("the judge of the crash matrix", () => {
  it("has nothing to say when everything is as promised", () => {
    expect(judge({})).toBe("");
  });

  it.each<[string, Partial<Observation>, RegExp]>([
    [
      "a message that was never accepted",
      withLetter(delivered, { acceptances: [] }),
      /key-1 .* not accepted/,
    ],
    ["a message that is still listed", withLetter(delivered, { isListed: true }), /key-1 .* still listed/],
    [
      "a drop that the archive does not have",
      { archived: { dropped: new Set(), "near-expiry": new Set(["3-0"]) } },
      /key-2 .* was not dropped/,
    ],
    [
      "a copy that was not made",
      { archived: { dropped: new Set(["2-0"]), "near-expiry": new Set() } },
      /no copy/,
    ],
    ["what was to stay and is gone", withLetter(copied, { isListed: false }), /key-3 .* no longer listed/],
    ["an act that is not in the audit", { isAudited: () => false }, /1-0: republish is not in the audit/],
    ["a delete that is not in the audit", { isAudited: (_, act) => act !== "delete" }, /2-0: delete is not/],
    ["a delivery too many", { deliveries: new Map([["key-1", 2]]) }, /accepted 1 times and came 2 times/],
    ["what is open for ever", withLetter(delivered, { state: "open" }), /key-1 .* is open in the ledger/],
    [
      "an acceptance that the ledger does not know",
      withLetter(delivered, { isListed: true, state: "cool" }),
      /key-1 .* was accepted, is still listed, and is cool in the ledger/,
    ],
    [
      "a broken archive",
      { damage: [{ file: "a", kind: "broken", why: "because", entries: 1 }] },
      /a is broken/,
    ],
  ])("reports %s", (_what, changed, sentence) => {
    expect(judge(changed)).toMatch(sentence);
  });

  it("lets a torn end of the archive pass, as a death leaves it", () => {
    expect(judge({ damage: [{ file: "a", kind: "torn", why: "because", entries: null }] })).toBe("");
  });
});
