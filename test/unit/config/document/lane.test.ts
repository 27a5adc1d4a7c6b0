import { describe, expect, it } from "vitest";
import { drainOf, head, problemsOf, withDrain } from "../../../support/loaded-document.ts";

const laneOf = (drain: string, defaults = "{}") =>
  drainOf(`${head}defaults: ${defaults}\ndrains: { orders: ${drain} }`).lane;
const openFromOf = (limits: string, lane = "{}") =>
  laneOf(`{ limits: { perPass: 1, perDay: 1, ${limits} }, lane: ${lane} }`)?.openFrom;

const builtIn = { canary: 5, watchMs: 60_000, haltAt: 0.2, probeEveryMs: 300_000, openFrom: 300 };

describe("a lane", () => {
  it("is built in", () => {
    expect(laneOf("{}")).toEqual(builtIn);
    expect(laneOf("{ lane: {} }", "{ lane: {} }")).toEqual(builtIn);
  });

  it("is merged key by key over defaults", () => {
    expect(
      laneOf("{ lane: { canary: 3, haltAt: 1% } }", "{ lane: { canary: 9, watch: 2m, haltAt: 100% } }"),
    ).toEqual({ ...builtIn, canary: 3, watchMs: 120_000, haltAt: 0.01, openFrom: 600 });
  });

  it("is taken away by none, and comes back as it is built in with what is said", () => {
    expect(laneOf("{ lane: none }")).toBeUndefined();
    expect(laneOf("{}", "{ lane: none }")).toBeUndefined();
    expect(laneOf("{ lane: none }", "{ lane: { canary: 9 } }")).toBeUndefined();
    expect(laneOf("{ lane: { probeEvery: 1h } }", "{ lane: none }")).toEqual({
      ...builtIn,
      probeEveryMs: 3_600_000,
    });
    expect(laneOf("{ lane: {} }", "{ lane: none }")).toEqual(builtIn);
  });

  it.each([
    ["the slower of both rates, half a watch of it", "publish: 5/s, perHost: 10/s", "{}", 150],
    ["the one that there is", "publish: none, perHost: 4/s", "{ watch: 10s }", 20],
    ["twice canary, where limits are slow", "publish: 6/h", "{ canary: 7 }", 14],
    ["a thousand, where limits are fast", "publish: 9000/s, perHost: 5000/s", "{}", 1_000],
  ])("opens from %s", (_name, limits, lane, expected) => {
    expect(openFromOf(limits, lane)).toBe(expected);
  });

  it("takes the ends of what it may be", () => {
    for (const lane of ["watch: 2s, haltAt: 1%, probeEvery: 2s", "watch: 1h, haltAt: 100%, probeEvery: 1h"]) {
      expect(problemsOf(withDrain(`lane: { ${lane} }`))).toEqual([]);
    }
  });

  const canary = "lane.canary: expected a whole number from 1 to 100";
  const watch = "lane.watch: expected a duration from 2s to 1h, such as 1m";
  const haltAt = "lane.haltAt: expected a share from 1% to 100%, such as 20%";
  it.each([
    ["{ canary: 0 }", 21, `${canary}, got 0`],
    ["{ watch: 1999ms }", 20, `${watch}, got "1999ms"`],
    ["{ haltAt: 0% }", 21, `${haltAt}, got "0%"`],
    ["{ haltAt: 20 }", 21, `${haltAt}, got 20`],
    ["", 5, "lane: expected a mapping, or none, got nothing"],
    [
      "{ canaries: 5 }",
      13,
      'lane: unknown key "canaries"; expected one of canary, watch, haltAt, probeEvery',
    ],
  ])("refuses %s, at its place", (lane, column, problem) => {
    expect(problemsOf(withDrain(`lane: ${lane}`))).toEqual([
      `drains.yaml:5:${column} drains.orders.${problem}`,
    ]);
    const inDefaults = `version: 1\nsources: { a: {} }\ndrains: {}\ndefaults:\n    lane: ${lane}`;
    expect(problemsOf(inDefaults)).toEqual([`drains.yaml:5:${column} defaults.${problem}`]);
  });

  const builtInWatch = "at least 1m, the watch as it is built in";
  const builtInProbes = "at most 5m, probeEvery as it is built in";
  const own = "drains.orders.lane";
  it.each([
    ["{}", "{ probeEvery: 59s }", `4:41 ${own}.probeEvery`, builtInWatch, "59s"],
    ["{}", "{ watch: 6m }", `4:36 ${own}.watch`, builtInProbes, "6m"],
    ["{}", "{ watch: 2m, probeEvery: 90s }", `4:52 ${own}.probeEvery`, `at least 2m, ${own}.watch`, "1m30s"],
    [
      "{ probeEvery: 7m }",
      "{ watch: 8m }",
      `4:36 ${own}.watch`,
      "at most 7m, defaults.lane.probeEvery",
      "8m",
    ],
    ["{ watch: 6m }", "{}", "3:28 defaults.lane.watch", builtInProbes, "6m"],
  ])(
    "has probes no closer than its watch: defaults %s, drain %s",
    (defaults, drain, place, expected, got) => {
      const text = `${head}defaults: { lane: ${defaults} }\ndrains: { orders: { lane: ${drain} } }`;
      const why = "a probe is watched to its end before the next one";
      expect(problemsOf(text)).toEqual([`drains.yaml:${place}: expected ${expected}, got ${got}; ${why}`]);
    },
  );

  it("is told once of a mistake that every drain gets, and of none that no lane has", () => {
    const text = `${head}defaults: { lane: { watch: 6m } }\ndrains: { a: {}, b: {}, c: { lane: { canary: 2 } } }`;
    expect(problemsOf(text)).toHaveLength(1);
    expect(problemsOf(`${head}defaults: { lane: none }\ndrains: { a: {} }`)).toEqual([]);
    const other = `${head}defaults: { lane: { probeEvery: 10m } }\ndrains: { a: { lane: none }, b: { lane: { watch: 9m } } }`;
    expect(problemsOf(other)).toEqual([]);
  });
});
