import { describe, expect, it } from "vitest";
import { toPlanRecord } from "../../src/redrive/plan/plan-file-record.ts";
import type { ForeseenRecord } from "../../src/redrive/plan/foresee-next-decision.ts";
import type { DrainRuntime } from "../../src/redrive/runtime.ts";
import type { Decision } from "../../src/rules/decision.ts";
import { letterOf, rawRecord, sendsPlain } from "../support/letters.ts";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";

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
});
