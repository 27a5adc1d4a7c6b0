import { expect, it } from "vitest";
import { faultKinds } from "../../dev/emulator/index.ts";
import { createDice } from "../rig/dice.ts";
import { draws } from "./acts.ts";
import { toPlan } from "./plan.ts";

it.each([1, 2, 3])(
  "ten minutes break in every way there is, and each act has what it must not share, with seed %i",
  (seed) => {
    const { acts } = toPlan({ durationMs: 600_000, calmMs: 35_000, daemons: 3, seed });
    const all = new Set(draws.map((draw) => draw(createDice(1), 3).name));
    expect(new Set(acts.map(({ name }) => name))).toEqual(all);
    for (const kind of faultKinds) expect(all).toContain(`emulator ${kind}`);
    for (const [index, one] of acts.entries()) {
      const shared = acts.slice(index + 1).filter(({ at, forMs, claims }) => {
        const isMet = one.at <= at + forMs && at <= one.at + one.forMs;
        return isMet && claims.some((claim) => one.claims.includes(claim));
      });
      expect(shared.map(({ name }) => name)).toEqual([]);
    }
  },
);
