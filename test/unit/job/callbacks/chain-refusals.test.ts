import { expect, it } from "vitest";
import { createChainRefusals } from "../../../../src/job/callbacks/chain-callback.ts";

it("a refused callback is known behind ten thousand others: under its first id again it may only be a hit", () => {
  const refusals = createChainRefusals();
  for (let one = 0; one <= 10_000; one += 1) refusals.set(`default msg_${one} 0`, 1);
  expect(refusals.get("default msg_1 0")).toBe(1);
});
