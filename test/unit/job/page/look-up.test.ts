import { expect, test } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import { postHorizonMs } from "../../../../src/job/contracts/ledger-limits.ts";
import { mayBeForgotten } from "../../../../src/job/page/look-up.ts";
import { defaultLimits } from "../../../support/ledger-stands.ts";

const absent: LedgerView = { state: "absent" };
const lost = { at: 10_000_000, since: 9_900_000 };
const hitsUntil = lost.since + postHorizonMs(defaultLimits);
const before = lost.at - 1;
const drain = "main" as DrainName;
const cool = { state: "cool", dueAt: 0, refusedAlone: 1, attempt: 1, released: false } as const;
const parked = { state: "parked", reason: "rule", attempt: 1, rulesHash: "h", drain } as const;

test.each<[string, number, LedgerView, number, boolean]>([
  ["whose deduplication id may be forgotten too", before, absent, hitsUntil + 1, true],
  ["of which every publish would still be a hit", before, absent, hitsUntil, false],
  ["that entered at the loss, give or take the clocks", lost.at + 59_999, absent, hitsUntil + 1, true],
  ["that entered later", lost.at + 60_000, absent, hitsUntil + 1, false],
  ["that cools since before the loss", before, { ...cool, firstAt: before }, hitsUntil + 1, true],
  ["that cools since the loss", before, { ...cool, firstAt: lost.at }, hitsUntil + 1, false],
  ["parked before the loss", before, { ...parked, firstAt: before }, hitsUntil + 1, true],
  ["parked since", before, { ...parked, firstAt: lost.at }, hitsUntil + 1, false],
  ["released", before, { ...cool, released: "by-person", firstAt: before }, hitsUntil + 1, false],
  ["of which something is remembered", before, { state: "gone", at: hitsUntil }, hitsUntil + 1, false],
])("may a record %s have been published and forgotten?", (_, enteredAt, view, at, expected) => {
  expect(mayBeForgotten({ enteredAt }, view, { at, lost }, defaultLimits)).toBe(expected);
  expect(mayBeForgotten({ enteredAt }, view, { at }, defaultLimits)).toBe(false);
});
