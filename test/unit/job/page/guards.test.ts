import { describe, expect, it } from "vitest";
import type { GuardStanding } from "../../../../src/job/contracts/guards.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { holdByGuards } from "../../../../src/job/page/guards.ts";
import type { Candidate } from "../../../../src/job/page/records.ts";

const open: GuardStanding = {
  index: "catalog",
  field: "pending_index_count",
  effect: "open",
  why: "reading",
  value: 1,
};
const closed: GuardStanding = { ...open, index: "users", effect: "closed", value: 9 };

function drainWith(standings: readonly GuardStanding[] | null): DrainRuntime {
  return {
    config: { guards: standings ?? [] },
    source: { guards: { standings: () => Promise.resolve(standings ?? Promise.reject(new Error("asked"))) } },
  } as unknown as DrainRuntime;
}

function candidate(name: string, view: Partial<LedgerView>): Candidate {
  const one = { letter: { dlqId: name }, view, decision: { then: "republish", rule: "outage" } };
  return one as unknown as Candidate;
}

const fresh = candidate("fresh", { state: "absent" });
const inDoubt = candidate("in-doubt", { state: "open", pastHorizon: false });
const pastHorizon = candidate("past-horizon", { state: "open", pastHorizon: true });
const all = [fresh, inDoubt, pastHorizon];

describe("candidates and guards", () => {
  it("without a guard nothing is asked", async () => {
    expect(await holdByGuards(drainWith(null), all)).toEqual({ free: all, held: [] });
  });

  it("open guards let all go on", async () => {
    expect(await holdByGuards(drainWith([open, open]), all)).toEqual({ free: all, held: [] });
  });

  it("one closed guard holds all but what can still be found out, and is named", async () => {
    const { free, held } = await holdByGuards(drainWith([open, closed]), all);
    expect(free).toEqual([inDoubt]);
    const decision = { then: "hold", reason: "guard", rule: "outage" };
    const why = "index users: pending_index_count is 9";
    expect(held).toEqual([
      { kind: "held", candidate: fresh, decision, why },
      { kind: "held", candidate: pastHorizon, decision, why },
    ]);
  });
});
