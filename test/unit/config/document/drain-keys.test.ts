import { describe, expect, it } from "vitest";
import { compileNumbers } from "../../../../src/job/rules/compile-condition.ts";
import { drainOf, head } from "../../../support/loaded-document.ts";

const guardOf = (guard: string) =>
  drainOf(`${head}drains: { orders: { guards: [${guard}] } }
indexes: { catalog: { id: x, credentials: { user: { env: U }, password: { env: P } } } }`).guards[0];

const limitsOf = (drain: string) => drainOf(`${head}drains: { orders: { ${drain} } }`).limits;
const perSecond = (count: number) => ({ count, perMs: 1_000 });

describe("limits", () => {
  it("are merged key by key, and none takes one away", () => {
    const text = `${head}defaults: { limits: { publish: 5/s, perDay: none } }
drains: { orders: { limits: { perHost: none, perPass: 7 } } }`;
    expect(drainOf(text).limits).toEqual({ publish: { count: 5, perMs: 1_000 }, perPass: 7 });
  });

  it("are lower without lanes, which notice early that a destination is down", () => {
    const perHost = { fromPerSecond: 10, toPerSecond: 100, watchMs: 60_000 };
    expect(limitsOf("mode: plan")).toEqual({ publish: perSecond(200), perHost, perPass: 20_000 });
    const without = { publish: perSecond(20), perHost: perSecond(10), perPass: 20_000, perDay: 100_000 };
    expect(limitsOf("lane: none")).toEqual(without);
    expect(limitsOf("lane: none, limits: { perDay: none, perHost: auto }")).toMatchObject({ perHost });
  });

  it.each([
    ["{}", { fromPerSecond: 10, toPerSecond: 100 }],
    ["{ from: 20/s, to: 40/s }", { fromPerSecond: 20, toPerSecond: 40 }],
    ["{ to: 4/s }", { fromPerSecond: 4, toPerSecond: 4 }],
    ["{ from: 300/s }", { fromPerSecond: 300, toPerSecond: 300 }],
  ])("learn the rate of a host by perHost %s, watch by watch of the lane", (perHost, bounds) => {
    expect(limitsOf(`limits: { perHost: ${perHost} }, lane: { watch: 2m }`).perHost).toEqual({
      ...bounds,
      watchMs: 120_000,
    });
  });
});

describe("a guard", () => {
  it.each([
    ["pending_index_count > 10", "< 5", [10, 10.5], [false, true], [4.9, 5], [true, false]],
    ["pending_index_count >= 10", "<= 5", [9.9, 10], [false, true], [5, 5.1], [true, false]],
    ["monthly_cost < 3", "monthly_cost >= 3", [2.99, 3], [true, false], [2.99, 3], [false, true]],
  ])("holds on %s and resumes on %s", (hold, resume, holding, holds, resuming, resumes) => {
    const guard = guardOf(`{ index: catalog, hold: "${hold}", resume: "${resume}" }`);
    expect(guard).toMatchObject({ index: "catalog", whenStale: "hold" });
    const [held, freed] = [compileNumbers([guard!.hold]), compileNumbers([guard!.resume])];
    expect(holding.map(held)).toEqual(holds);
    expect(resuming.map(freed)).toEqual(resumes);
  });

  it("lets go when it no longer holds, where nothing else is said", () => {
    for (const comparison of ["> 10", ">= 10", "< 10", "<= 10", "> 0", ">= 0"]) {
      const guard = guardOf(`{ index: catalog, hold: "monthly_cost ${comparison}", whenStale: ignore }`);
      const [held, freed] = [compileNumbers([guard!.hold]), compileNumbers([guard!.resume])];
      for (const value of [0, 5, 9.5, 10, 10.000001, 11]) expect(freed(value)).toBe(!held(value));
      expect(guard?.whenStale).toBe("ignore");
    }
  });
});
