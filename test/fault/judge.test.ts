import { describe, expect, it } from "vitest";
import { findDoubles, findLost, judgeAnyMoment, judgeEnd } from "./judge.ts";
import type { KnownLetter, Observation } from "./observe.ts";

const letter = (dlqId: string, fate: KnownLetter["fate"]): KnownLetter => ({
  key: `key-${dlqId}`,
  source: "main",
  dlqId,
  fate,
  since: 0,
});
const accepted = (dlqId: string, seq: number) =>
  ({ source: "main", seq, dlqId, messageId: `m-${seq}` }) as const;
const deleted = (dlqId: string, seq: number) => ({ source: "main", seq, at: seq, dlqId }) as const;

/** One of each fate, as it is to end. */
const asPromised: Observation = {
  letters: [letter("1-0", "delivered"), letter("2-0", "dropped"), letter("3-0", "copied")],
  accepted: [accepted("1-0", 1)],
  deleted: [deleted("1-0", 2), deleted("2-0", 3)],
  archived: { dropped: new Set(["2-0"]), "near-expiry": new Set(["3-0"]) },
  damage: [],
  audited: new Map([
    ["republish", new Set(["1-0"])],
    ["drop", new Set(["2-0"])],
    ["copy", new Set(["3-0"])],
    ["delete", new Set(["1-0", "2-0"])],
  ]),
  declared: new Map(),
  deliveries: new Map([["key-1-0", 1]]),
  inQueue: new Set(["3-0"]),
  ledger: new Map([
    ["1-0", "gone"],
    ["2-0", "gone"],
  ]),
  unprovable: new Set(),
};
const judge = (seen: Observation): string => [...judgeAnyMoment(seen), ...judgeEnd(seen)].join("\n");

describe("the judge of the crash matrix", () => {
  it("has nothing to say where everything is as promised", () => {
    expect(judge(asPromised)).toBe("");
  });

  it.each<[string, Partial<Observation>, RegExp]>([
    ["a delete before the acceptance", { deleted: [deleted("1-0", 0), deleted("2-0", 3)] }, /without proof/],
    ["a delete of what stays", { deleted: [deleted("3-0", 9)] }, /key-3-0 .* deleted without proof/],
    [
      "a drop that the archive does not hold",
      { archived: { dropped: new Set(), "near-expiry": new Set(["3-0"]) } },
      /key-2-0 .* without proof[^]*key-2-0 .* is lost/,
    ],
    ["a message that is nowhere", { accepted: [], deleted: [] }, /key-1-0 .* is lost/],
    ["a message that is still listed", { inQueue: new Set(["1-0", "3-0"]) }, /key-1-0 .* still listed/],
    [
      "a copy that was not made",
      { archived: { dropped: new Set(["2-0"]), "near-expiry": new Set() } },
      /no copy/,
    ],
    ["what was to stay and is gone", { inQueue: new Set() }, /key-3-0 .* no longer listed/],
    ["an undeclared double", { accepted: [accepted("1-0", 1), accepted("1-0", 4)] }, /2 times, undeclared/],
    ["an acceptance of nobody's", { accepted: [accepted("1-0", 1), accepted("9-0", 4)] }, /no dead letter's/],
    ["an acceptance of a drop", { accepted: [accepted("1-0", 1), accepted("2-0", 4)] }, /to be dropped, was/],
    ["an act that is not in the audit", { audited: new Map() }, /1-0: republish is not in the audit/],
    ["a delivery too many", { deliveries: new Map([["key-1-0", 2]]) }, /accepted 1 times and came 2 times/],
    ["what is open for ever", { ledger: new Map([["1-0", "open"]]) }, /key-1-0 .* is open in the ledger/],
    [
      "an acceptance that the ledger does not know",
      { inQueue: new Set(["1-0", "3-0"]), ledger: new Map([["1-0", "cool"]]) },
      /key-1-0 .* was accepted, is still listed, and is cool in the ledger/,
    ],
    ["a broken archive", { damage: [{ file: "a", kind: "broken", why: "because" }] }, /a is broken/],
  ])("tells of %s", (_what, changed, sentence) => {
    expect(judge({ ...asPromised, ...changed })).toMatch(sentence);
  });

  it("lets a torn end of the archive pass, as a death leaves it", () => {
    expect(judge({ ...asPromised, damage: [{ file: "a", kind: "torn", why: "because" }] })).toBe("");
  });

  it("names the case of a declared double, and counts what is lost", () => {
    const seen = {
      ...asPromised,
      accepted: [accepted("1-0", 1), accepted("1-0", 4)],
      deliveries: new Map([["key-1-0", 2]]),
      declared: new Map([["1-0", new Set(["unknown-outcome-past-window"])]]),
    };
    expect(judge(seen)).toBe("");
    expect(findDoubles(seen)).toMatchObject([{ times: 2, declared: ["unknown-outcome-past-window"] }]);
    expect(findLost({ ...asPromised, accepted: [] })).toMatchObject([{ dlqId: "1-0" }]);
  });
});
