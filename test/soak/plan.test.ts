import { expect, it } from "vitest";
import { faultKinds } from "../../dev/emulator/index.ts";
import { createDice } from "../rig/dice.ts";
import { draws } from "./acts.ts";
import { drawService } from "./draw-service.ts";
import { toPlan } from "./plan.ts";

const options = { durationMs: 600_000, calmMs: 35_000, daemons: 3 };
const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
const written = (seed: number): string => JSON.stringify(toPlan({ ...options, seed }));

it("a plan follows from its seed", () => {
  expect(written(7)).toBe(written(7));
  expect(written(7)).not.toBe(written(8));
});

it.each(seeds)(
  "ten minutes break in every way there is, in storms with calms between, with seed %i",
  (seed) => {
    const { acts, storms } = toPlan({ ...options, seed });
    const all = new Set(draws.map((draw) => draw(createDice(1), 3).name));
    expect(new Set(acts.map(({ name }) => name))).toEqual(all);
    for (const kind of faultKinds) expect(all).toContain(`emulator ${kind}`);
    const isInStorm = ({ at, forMs }: (typeof acts)[number]): boolean =>
      storms.some(({ from, to }) => at >= from && at + forMs <= to);
    expect(acts.filter((act) => !isInStorm(act))).toEqual([]);
    const calms = storms.slice(1).map(({ from }, index) => from - storms[index]!.to);
    expect(calms.length).toBeGreaterThan(3);
    expect(new Set(calms)).toEqual(new Set([options.calmMs]));
    expect(storms.at(-1)?.to).toBe(options.durationMs);
  },
);

it.each(seeds)("each act has to itself what it must not share, with seed %i", (seed) => {
  const { acts } = toPlan({ ...options, seed });
  for (const [index, one] of acts.entries()) {
    const shared = acts.slice(index + 1).filter(({ at, forMs, claims }) => {
      const isMet = one.at <= at + forMs && at <= one.at + one.forMs;
      return isMet && claims.some((claim) => one.claims.includes(claim));
    });
    expect(shared.map(({ name }) => name)).toEqual([]);
  }
});

it("some seed makes the service so in every way there is", () => {
  const drawn = seeds.map((seed) => drawService(createDice(seed)));
  expect(drawService(createDice(1))).toEqual(drawn[0]);
  for (const name of Object.keys(drawn[0]!) as (keyof (typeof drawn)[0])[])
    expect(new Set(drawn.map((service) => service[name])).size).toBe(2);
});
