import { expect, it } from "vitest";
import { takeWarnings } from "../../../../../src/people/cli/run/node-warnings.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("what Node warns of is handed on and printed by nobody, until it is given back", async () => {
  const before = process.listeners("warning");
  const told: string[] = [];
  const giveBack = takeWarnings(({ name, message }) => told.push(`${name}: ${message}`));
  try {
    process.emitWarning("too many", "MaxListenersExceededWarning");
    await nextTurn();
    expect(told).toEqual(["MaxListenersExceededWarning: too many"]);
    expect(process.listeners("warning")).toHaveLength(1);
  } finally {
    giveBack();
  }
  expect(process.listeners("warning")).toEqual(before);
});
