import { expect, it } from "vitest";
import { toVerdictLine } from "../../../../../src/people/cli/apply/text.ts";

const progress = { planned: 5, phase: "ended", done: 5, left: 0, before: 0, skipped: {} } as never;

it("a verdict is red on a terminal if it is bad, and amber if the apply sent nothing", () => {
  const text = "5 sent, 5 came back: 503, the receiver was still down at 07:24:50 UTC";
  const told = { state: "told", sent: 5, cameBack: 5, delivered: 0, silent: 0, failures: [], text } as const;
  const bad = { drain: "orders", progress, verdict: { ...told, isBad: true } };
  expect(toVerdictLine(bad, true)).toBe(`\u001B[1m\u001B[31morders: ${text}\u001B[39m\u001B[22m\n`);
  expect(toVerdictLine(bad, false)).toBe(`orders: ${text}\n`);
  const well = { drain: "orders", progress, verdict: { ...told, isBad: false } };
  expect(toVerdictLine(well, true)).toBe(`orders: ${text}\n`);
  expect(toVerdictLine({ ...well, verdict: null }, true)).toBe("");
  const idle = { ...well, progress: { ...(progress as object), done: 0, before: 5 } as never };
  const amber = `orders: nothing was sent: 5 done before; of these, ${text}`;
  expect(toVerdictLine(idle, true)).toBe(`\u001B[1m\u001B[33m${amber}\u001B[39m\u001B[22m\n`);
});
