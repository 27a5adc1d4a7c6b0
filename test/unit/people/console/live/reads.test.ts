import { expect, it } from "vitest";
import { createReads } from "../../../../../src/people/console/live/reads.ts";

const current = (): never => expect.fail("nothing else is read");

it("keeps what a page reads for fifteen seconds, and then reads as it was asked last", async () => {
  let at = 1_000_000;
  const { kept, forget } = createReads({ current, nextRuns: current, now: () => at });
  const ask = (answer: string): Promise<string> => kept("one", () => Promise.resolve(answer));
  expect(await ask("first")).toBe("first");
  at += 14_999;
  expect(await ask("second")).toBe("first");
  expect(await kept("other", () => Promise.resolve("its own"))).toBe("its own");
  at += 1;
  // What the first one was asked with is over, such as a document that is in force no more.
  expect(await ask("third")).toBe("third");
  forget();
  expect(await ask("fourth")).toBe("fourth");
});
