import { expect, it } from "vitest";
import { judgeAnyMoment, judgeEnd } from "./judge.ts";
import type { KnownLetter, Observation } from "./observe.ts";

const acceptances = [{ seq: 1, at: 1, suffix: 1, messageId: "m-1" }];
const deleted = { seq: 2, at: 2, by: "ids" } as const;
const common = { source: "main", since: 0, isUnprovable: false, deleted, isListed: false } as const;

/** One of each ending, as it is to end. */
const letters: Readonly<Record<"delivered" | "dropped" | "copied", KnownLetter>> = {
  delivered: { ...common, key: "key-1", dlqId: "1-0", ending: "delivered", acceptances, state: "gone" },
  dropped: { ...common, key: "key-2", dlqId: "2-0", ending: "dropped", acceptances: [], state: "gone" },
  copied: {
    ...common,
    key: "key-3",
    dlqId: "3-0",
    ending: "copied",
    acceptances: [],
    state: "absent",
    deleted: null,
    isListed: true,
  },
};
const archived = { dropped: new Set(["2-0"]), "near-expiry": new Set(["3-0"]) };

function judge(changed: Partial<Observation>, ...changes: readonly Partial<KnownLetter>[]): string {
  const seen: Observation = {
    letters: Object.values(letters).map((one, index) => ({ ...one, ...changes[index] })),
    archived,
    damage: [],
    deliveries: new Map([["key-1", 1]]),
    isAudited: () => true,
    ...changed,
  };
  return [...judgeAnyMoment(seen), ...judgeEnd(seen)].join("\n");
}
const damage = (kind: "broken" | "torn") => [{ file: "a", kind, why: "because", entries: null }];

it("the judge of the crash matrix has nothing to say where all is as promised, or an end of the archive is torn", () => {
  expect(judge({})).toBe("");
  expect(judge({ damage: damage("torn") })).toBe("");
});

it.each<[string, RegExp, Partial<Observation>, ...Partial<KnownLetter>[]]>([
  ["a message that was never accepted", /key-1 .* not accepted/, {}, { acceptances: [] }],
  ["a message that is still listed", /key-1 .* still listed/, {}, { isListed: true }],
  [
    "a drop that the archive lacks",
    /key-2 .* not dropped/,
    { archived: { ...archived, dropped: new Set() } },
  ],
  ["a copy that was not made", /no copy/, { archived: { ...archived, "near-expiry": new Set() } }],
  ["what was to stay and is gone", /key-3 .* no longer listed/, {}, {}, {}, { isListed: false }],
  ["an act outside the audit", /1-0: republish is not in the audit/, { isAudited: () => false }],
  ["a delete outside it", /2-0: delete is not/, { isAudited: (_, act) => act !== "delete" }],
  ["a delivery too many", /1 times and came 2 times/, { deliveries: new Map([["key-1", 2]]) }],
  ["what is open for ever", /key-1 .* is open in the ledger/, {}, { state: "open" }],
  ["an acceptance that no ledger has", /still listed, and is cool/, {}, { isListed: true, state: "cool" }],
  ["a broken archive", /a is broken/, { damage: damage("broken") }],
])("the judge reports %s", (_what, sentence, changed, ...changes) => {
  expect(judge(changed, ...changes)).toMatch(sentence);
});
