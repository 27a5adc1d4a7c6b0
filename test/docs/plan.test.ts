import { describe, expect, it } from "vitest";
import { toEstimateText } from "../../src/people/cli/plan/estimate-text.ts";
import { estimate } from "../../src/people/plan/estimate.ts";
import { toPlanRecord } from "../../src/people/plan/plan-file-record.ts";
import type { ForeseenRecord } from "../../src/people/plan/foresee-next-decision.ts";
import type { DrainRuntime } from "../../src/job/runtime.ts";
import type { Decision } from "../../src/job/rules/decision.ts";
import { halted, lane, open, perHost, standing, to } from "../support/estimates.ts";
import { letterOf, rawRecord, sendsPlain } from "../support/letters.ts";
import { codeBlocks, codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const page = readDoc("docs/plan.md");

const drain = {
  config: { name: "orders", rulesHash: "r" },
  source: { headerPrefix: "Upstash-" },
} as DrainRuntime;

function recordOf(decision: Partial<Decision>, view: object, isDue: boolean): ForeseenRecord {
  const letter = letterOf();
  const decided = { raw: rawRecord(), letter, view, decision, attempt: 0, facts: { expiresAt: 99 } };
  const item = { destination: "https://new.example.com/", headers: {}, body: "" };
  const candidate = isDue
    ? { ...decided, losses: ["queue-delay"], lineage: { attempt: 1 }, ...sendsPlain(item) }
    : null;
  const next = decision.then === "hold" ? { then: "republish", reason: "due", rule: "a", at: 9 } : null;
  return { decided, candidate, next } as unknown as ForeseenRecord;
}

/** An outage of one of four hosts; one is new, and what failed last is too young. */
const printed = toEstimateText(
  80,
  estimate({
    ...perHost(10),
    limits: { publish: { count: 20, perMs: 1_000 } },
    ruleRates: new Map(),
    lane,
    room: { perDay: null },
    listed: 33_362,
    worstBilled: 133_448,
    otherDeletes: 0,
    itemsPerPublish: 100,
    destinations: [
      to("api.example.com", 0, {
        arrivals: [
          { inMs: 0, count: 2_400 },
          { inMs: 45_000, count: 18_000 },
        ],
        earliestMs: 30_000,
        lane: open,
      }),
      to("pay.example.com", 12_000, { lane: halted }),
      to("crm.example.com", 812, { lane: standing }),
      to("queue:invoices", 150, { origin: "queue:invoices", lane: open }),
    ],
  }),
  { closedGuards: [], perDay: null, perPass: null },
  Date.UTC(2026, 10, 20, 14, 2),
);

describe("docs/plan.md", () => {
  it("names every key that a record of a plan can have, and no other", () => {
    const lines = [
      recordOf({ then: "republish", reason: "due", rule: "a" }, { state: "absent" }, true),
      recordOf({ then: "hold", reason: "cooling", rule: null, until: 9 }, { state: "cool" }, false),
      recordOf({ then: "park", reason: "refused", rule: null }, { state: "parked" }, false),
    ].map((record) => toPlanRecord(drain, record, "content"));
    const keys = new Set(lines.flatMap((line) => Object.keys(line)));
    const documented = tableRows(page, ["key", "meaning"]).flatMap(([key = ""]) => codeSpans(key));
    expect(documented.toSorted()).toEqual([...keys].toSorted());
  });

  it("shows the time and cost of a plan as it is printed", () => {
    const block = codeBlocks(page).find(({ heading }) => heading === "How long it takes");
    expect(block?.text).toBe(printed.slice(1));
  });

  it("explains every line and every column of that", () => {
    const [lines = "", table = ""] = printed.slice(1).split("\n\n");
    const labels = [...lines.matchAll(/^ {4}(\w+) /gm)].map(([, label]) => label);
    const explained = tableRows(page, ["line", "means"]).flatMap(([line = ""]) => codeSpans(line));
    expect(labels.length).toBeGreaterThan(3);
    expect(labels.filter((label) => !explained.includes(label ?? ""))).toEqual([]);
    const columns = tableRows(page, ["column", "meaning"]).flatMap(([column = ""]) => codeSpans(column));
    expect(table.split("\n")[0]?.trim().split(/ {2,}/)).toEqual(columns);
  });
});
