import type { DlqId } from "../../src/job/message/dead-letter.ts";
import { describe, expect, it } from "vitest";
import { toFieldsText } from "../../src/people/cli/output/fields-text.ts";
import { toPublishes } from "../../src/people/cli/plan/text.ts";
import { estimate } from "../../src/people/plan/estimate.ts";
import { toPlanRecord } from "../../src/people/plan/plan-file-record.ts";
import type { Foreseen } from "../../src/people/plan/foresee-next-decision.ts";
import type { DrainRuntime } from "../../src/job/runtime.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import type { Letter } from "../../src/job/page/letter.ts";
import { input, to } from "../support/estimates.ts";
import { decidedLetter, dueLetter } from "../support/letters.ts";
import { codeBlocks, codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/plan.md");

const drain = {
  config: { name: "orders", rulesHash: "r" },
  source: { headerPrefix: "Upstash-" },
} as DrainRuntime;

const parkedView: LedgerView = {
  state: "parked",
  reason: "refused",
  drain: "orders" as DrainName,
  rulesHash: "r",
  attempt: 0,
  suffix: 1,
};
const foreseen = (letter: Letter, next: Foreseen["next"] = null): Foreseen => ({
  letter,
  next,
  becomes: null,
});

/** An outage of one of four hosts, and what failed last is too young. */
const publishes = toPublishes(
  estimate({
    ...input,
    limits: { publish: { count: 20, perMs: 1_000 }, perHost: { count: 10, perMs: 1_000 } },
    counts: {
      ...input.counts,
      destinations: [
        to("api.example.com", 2_400, 18_000),
        to("pay.example.com", 12_000),
        to("crm.example.com", 812),
        to("queue:invoices", 150),
      ],
    },
  }),
  { closedGuards: [], perDay: null, perPass: null },
  { by: "a halt", isAll: false, holds: (origin) => origin === "https://crm.example.com" },
);
const printed = toFieldsText(80, { publishes }, 0);

describe("docs/plan.md", () => {
  it("names every key that a record of a plan can have, and no other", () => {
    const lines = [
      foreseen(dueLetter({ set: { headers: { "X-New": "n" } }, listed: { scheduleId: "s" } })),
      foreseen(decidedLetter({ then: "hold", reason: "cooling", rule: null, until: 9 }), {
        then: "republish",
        reason: "due",
        rule: "a",
        at: 9,
      }),
      foreseen(decidedLetter({ then: "hold", reason: "superseded", rule: "a", by: "1-0" as DlqId })),
      foreseen(decidedLetter({ then: "park", reason: "refused", rule: null }, { view: parkedView })),
    ].map((record) => toPlanRecord(drain, record, "content"));
    const keys = new Set(lines.flatMap((line) => Object.keys(line)));
    const documented = tableRows(page, ["key", "meaning"]).flatMap(([key = ""]) => codeSpans(key));
    expect(documented.toSorted()).toEqual([...keys].toSorted());
  });

  it("shows what a plan publishes as it is printed", () => {
    const block = codeBlocks(page).find(({ heading }) => heading === "Publishes");
    expect(block?.text).toBe(printed);
  });

  it("explains every line and every column of that", () => {
    const [lines = "", table = ""] = printed.split("  to\n");
    const labels = [...lines.matchAll(/^ {2}(\w+) /gm)].map(([, label]) => label);
    const explained = tableRows(page, ["line", "means"]).flatMap(([line = ""]) => codeSpans(line));
    expect(labels.length).toBeGreaterThan(0);
    expect(labels.filter((label) => !explained.includes(label ?? ""))).toEqual([]);
    const columns = tableRows(page, ["column", "meaning"]).flatMap(([column = ""]) => codeSpans(column));
    expect(table.split("\n")[0]?.trim().split(/ {2,}/)).toEqual(columns);
  });
});
