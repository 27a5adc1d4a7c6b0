import { describe, expect, it } from "vitest";
import type { GuardStanding } from "../../../../../src/job/contracts/guards.ts";
import type { DrainRuntime } from "../../../../../src/job/runtime.ts";
import { askGates } from "../../../../../src/job/page/gates.ts";
import type { Letter } from "../../../../../src/job/page/letter.ts";
import { dueLetter, openView } from "../../../../support/letters.ts";

const open: GuardStanding = {
  index: "catalog",
  field: "pending_index_count",
  effect: "open",
  why: "reading",
  value: 1,
};
const closed: GuardStanding = { ...open, index: "users", effect: "closed", value: 9 };

/** Nothing but guards can hold its letters. */
function drainWith(standings: readonly GuardStanding[] | null): DrainRuntime {
  return {
    config: { guards: standings ?? [], limits: {}, rules: [] },
    source: {
      config: {},
      clock: { monotonic: () => 0 },
      guards: { standings: () => Promise.resolve(standings ?? Promise.reject(new Error("asked"))) },
      hostPauses: () => Promise.resolve([]),
      health: { current: () => ({ state: "usable" }) },
    },
  } as unknown as DrainRuntime;
}

const page = () => ({
  fresh: dueLetter({ dlqId: "fresh" }),
  inDoubt: dueLetter({ dlqId: "in-doubt", view: openView() }),
  pastHorizon: dueLetter({ dlqId: "past-horizon", view: openView({ pastHorizon: true }) }),
});
const ask = (standings: readonly GuardStanding[] | null, letters: readonly Letter[]) =>
  askGates(drainWith(standings), letters, new AbortController().signal);

describe("letters and guards", () => {
  it.each([
    ["without a guard nothing is asked", null],
    ["open guards let all go on", [open, open]],
  ])("%s", async (_name, standings) => {
    const all = Object.values(page());
    expect(await ask(standings, all)).toEqual(all);
    expect(all.map(({ fate }) => fate)).toEqual([null, null, null]);
  });

  it("one closed guard holds all but what can still be found out, and is named", async () => {
    const { fresh, inDoubt, pastHorizon } = page();
    expect(await ask([open, closed], [fresh, inDoubt, pastHorizon])).toEqual([inDoubt]);
    const decision = { then: "hold", reason: "guard", rule: "outage" };
    const why = "index users: pending_index_count is 9";
    expect(inDoubt.fate).toBeNull();
    expect(fresh.fate).toEqual({ kind: "held", decision, why });
    expect(pastHorizon.fate).toEqual({ kind: "held", decision, why });
  });
});
