import { expect, test } from "vitest";
import type { MessageId } from "../../../../src/job/message/dead-letter.ts";
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
const cool = { state: "cool", dueAt: 0, refusedAlone: 1, attempt: 1, released: false, suffix: 1 } as const;
const parked = { state: "parked", reason: "rule", attempt: 1, rulesHash: "h", drain, suffix: 1 } as const;
const series = { suffix: 1, firstAt: hitsUntil, posts: 1, refusals: 0, doubts: 0 };
const open = { state: "open", drain, lastAt: 0, attempt: 0, released: false, unknown: true } as const;
const messageId = "m" as MessageId;
const begunAt = (firstAt: number): LedgerView => ({
  ...open,
  messageId,
  pastHorizon: false,
  series: { ...series, firstAt },
});

test.each<[string, number, LedgerView, number, boolean]>([
  ["whose deduplication id may be forgotten too", before, absent, hitsUntil + 1, true],
  ["of which every publish would still be a hit", before, absent, hitsUntil, false],
  ["that entered at the loss, give or take the clocks", lost.at + 59_999, absent, hitsUntil + 1, true],
  ["that entered later", lost.at + 60_000, absent, hitsUntil + 1, false],
  ["that cools under its first id", before, cool, hitsUntil, false],
  ["that cools, and its first id may be forgotten too", before, cool, hitsUntil + 1, true],
  ["whose next publish has a later id", before, { ...cool, suffix: 2 }, lost.at, true],
  ["that entered later, and cools", lost.at + 60_000, { ...cool, suffix: 2 }, hitsUntil + 1, false],
  ["that is parked", before, parked, hitsUntil + 1, true],
  ["released before", before, { ...cool, released: "by-person", dueAt: before }, hitsUntil + 1, true],
  ["released since", before, { ...cool, released: "by-person", dueAt: lost.at }, hitsUntil + 1, false],
  ["in doubt since its publish could be a hit", before, begunAt(hitsUntil), hitsUntil + 1, true],
  ["in doubt while every publish is a hit", before, begunAt(hitsUntil), hitsUntil, false],
  ["in doubt since it was decided", before, begunAt(hitsUntil + 1), hitsUntil + 2, false],
  ["of which something is remembered", before, { state: "gone", at: hitsUntil }, hitsUntil + 1, false],
])("may a record %s have been published and forgotten?", (_, enteredAt, view, at, expected) => {
  expect(mayBeForgotten({ enteredAt }, view, { at, lost }, defaultLimits)).toBe(expected);
  expect(mayBeForgotten({ enteredAt }, view, { at }, defaultLimits)).toBe(false);
});
