import { describe, expect, it } from "vitest";
import {
  toApplyText,
  toQuestion,
  toSkipsText,
  toVerdictLine,
} from "../../../../../src/people/cli/apply/text.ts";
import { toSkipText } from "../../../../../src/people/operations/plans/decision-text.ts";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { PlanCheck } from "../../../../../src/people/plan/check-plan.ts";
import { noSkips } from "../../../../../src/people/plan/skipped-by-apply.ts";

const createdAt = Date.UTC(2026, 10, 20, 10, 15, 0);

describe("an apply on the terminal", () => {
  const due = { then: "republish", reason: "due", rule: "outage" } as const;
  const check = {
    planned: 856,
    open: new Map([
      ["1-0" as DlqId, { hash: "h", then: "republish", reason: "due", rule: "outage", item: "i" }],
      ["2-0" as DlqId, { hash: "h", then: "drop", reason: "rule", rule: "old" }],
      ["3-0" as DlqId, { hash: "h", then: "park", reason: "rule", rule: "broken" }],
      ["4-0" as DlqId, { hash: "h", then: "settle", reason: "published-before", rule: null }],
    ] as const),
    notNow: 0,
    done: 10,
    meanwhile: 0,
    skips: {
      gone: 2,
      changed: 0,
      otherwise: 4,
      examples: [
        { dlqId: "5-0" as DlqId, why: "gone", was: due },
        { dlqId: "6-0" as DlqId, why: "gone", was: { then: "drop", reason: "rule", rule: "old" } },
        {
          dlqId: "7-0" as DlqId,
          why: "otherwise",
          was: due,
          is: { then: "hold", reason: "waiting", rule: "outage" },
        },
        { dlqId: "8-0" as DlqId, why: "otherwise", was: due, is: { ...due, rule: "blackout" } },
        { dlqId: "9-0" as DlqId, why: "otherwise", was: due, is: due },
        {
          dlqId: "10-0" as DlqId,
          why: "otherwise",
          was: { then: "park", reason: "non-retryable", rule: "outage" },
          is: { then: "park", reason: "non-retryable", rule: "blackout" },
        },
      ],
    },
    orders: new Map(),
    sentFrom: 0,
  } satisfies PlanCheck;
  const line = { drain: "orders", host: "qstash.upstash.io", check };

  it("asks with source, drains and counts", () => {
    expect(
      toQuestion(createdAt, [
        line,
        { ...line, drain: "rest", check: { ...check, open: new Map(), done: 0, skips: noSkips } },
      ]),
    ).toMatchInlineSnapshot(`
      "Apply the plan of 2026-11-20 10:15:00 UTC:
        orders on qstash.upstash.io: 1 to send again, 1 to archive and delete, 1 to park, 1 to delete again; 10 done already; 6 skipped (2 gone, 4 decided otherwise)
        rest on qstash.upstash.io: nothing to do
      Go on?"
    `);
  });

  it("sums up what became of it", () => {
    const tally = { republished: 1, deleted: 3, parked: 1 };
    const skips = {
      ...noSkips,
      changed: 1,
      examples: [{ dlqId: "11-0" as DlqId, why: "changed" as const, was: due }],
    };
    const applied = { tally, dropped: 1, meanwhile: 836, skips, left: 0, leftReasons: {}, stop: null };
    expect(toSkipsText({ ...line, applied } as never)).toMatchInlineSnapshot(`
      "orders: 7 skipped: 2 gone, 1 changed, 4 decided otherwise
        5-0: republish by outage → gone
        6-0: drop by old → gone
        7-0: republish by outage → hold (waiting) by outage
        8-0: republish by outage → republish by blackout
        9-0: republish by outage → would be sent differently
        and 2 more
      "
    `);
    expect([...check.skips.examples, ...skips.examples].map(toSkipText).slice(5)).toEqual([
      "10-0: park (non-retryable) by outage → park (non-retryable) by blackout",
      "11-0: republish by outage → changed",
    ]);
    expect(toApplyText(Infinity, [{ ...line, applied } as never])).toMatchInlineSnapshot(`
      "drain   planned  before  sent again  dropped  deleted  parked  meanwhile  skipped  left
      orders      856      10           1        1        3       1        836        7     0
      "
    `);
  });
});

describe("what became of it", () => {
  const text = "5 sent, 5 came back: 503, the receiver was still down at 07:24:50 UTC";
  const told = { state: "told", sent: 5, cameBack: 5, delivered: 0, silent: 0, failures: [], text } as const;

  it("is red on a terminal if it is bad, and nothing if nothing was sent", () => {
    const bad = { drain: "orders", verdict: { ...told, isBad: true } };
    expect(toVerdictLine(bad, true)).toBe(`\u001B[1m\u001B[31morders: ${text}\u001B[39m\u001B[22m\n`);
    expect(toVerdictLine(bad, false)).toBe(`orders: ${text}\n`);
    expect(toVerdictLine({ drain: "orders", verdict: { ...told, isBad: false } }, true)).toBe(
      `orders: ${text}\n`,
    );
    expect(toVerdictLine({ drain: "orders", verdict: null }, true)).toBe("");
  });
});
