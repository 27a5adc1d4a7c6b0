import { describe, expect, it } from "vitest";
import { drainOf, head, problemsOf, withDrain } from "../../../support/loaded-document.ts";

const documentOf = (drain: string, defaults = "{}"): string =>
  `${head}defaults: ${defaults}\ndrains: { orders: ${drain} }`;
const flowOf = (drain: string, defaults?: string) => drainOf(documentOf(drain, defaults)).flowControl;

const said = "flowControl: { key: redriven, rate: 10, period: 1m }";
const compiled = { key: "redriven", rate: 10, periodMs: 60_000 };

const two = (one: string, other: string, defaults: string) =>
  problemsOf(`${head}defaults: ${defaults}\ndrains: { a: ${one}, b: ${other} }`);

describe("a drain's flow control", () => {
  it("is none where nothing speaks of it, and merged key by key where both do", () => {
    expect(flowOf("{}")).toBeUndefined();
    expect(flowOf(`{ ${said} }`)).toEqual(compiled);
    expect(flowOf("{}", `{ ${said} }`)).toEqual(compiled);
    expect(flowOf("{ flowControl: { rate: 3, parallelism: 2 } }", `{ ${said} }`)).toEqual({
      key: "redriven",
      rate: 3,
      parallelism: 2,
      periodMs: 60_000,
    });
    expect(flowOf("{ flowControl: { parallelism: 2 } }", "{ flowControl: { key: all } }")).toEqual({
      key: "all",
      parallelism: 2,
    });
  });

  it("is taken away by none", () => {
    expect(flowOf("{ flowControl: none }", `{ ${said} }`)).toBeUndefined();
    expect(flowOf(`{ ${said} }`, "{ flowControl: none }")).toEqual(compiled);
  });

  const nothing = "flowControl: expected at least one of parallelism and rate";
  it.each([
    ["{ key: k }", nothing],
    ["{ rate: 1 }", "flowControl: expected the key of the flow control"],
    ["{ key: k, parallelism: 1, period: 1m }", "flowControl: expected a rate beside period"],
    ["{ key: k, rate: 1, period: 1500ms }", "flowControl: expected a period of whole seconds"],
    ["all", "flowControl: expected a mapping, or none"],
  ])("%s is refused: %s", (flow, problem) => {
    expect(problemsOf(withDrain(`flowControl: ${flow}`)).join("\n")).toContain(problem);
  });

  it("that is not whole is told where it was said last, and that of defaults once", () => {
    expect(two("{}", "{}", "{ flowControl: { key: k } }")).toEqual([
      expect.stringContaining(`defaults.${nothing}`),
    ]);
    expect(
      two("{ flowControl: { rate: 1 } }", "{ flowControl: none }", "{ flowControl: { key: k } }"),
    ).toEqual([]);
    expect(
      two("{ flowControl: { period: 1s } }", "{ flowControl: none }", "{ flowControl: { key: k } }"),
    ).toEqual([expect.stringContaining(`drains.a.${nothing}`)]);
  });
});
