import { expect, it } from "vitest";
import type { Ledger, PublishedFact } from "../../../../src/job/contracts/ledger.ts";
import { publishedFact } from "../../../support/ledger-stands.ts";
import { createUnwrittenFacts } from "../../../../src/job/sweep/unwritten-facts.ts";

it("facts that could not be written are all written when two replays run at once and one more is kept meanwhile", async () => {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const slow = {
    published: async (facts: readonly PublishedFact[]) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      written.push(...facts.map(({ dlqId }) => dlqId));
      return {} as Awaited<ReturnType<Ledger["published"]>>;
    },
  } as Partial<Ledger> as Ledger;
  const unwritten = createUnwrittenFacts();
  unwritten.keep([publishedFact("0-1"), publishedFact("0-2")]);
  const replays = [unwritten.replay(slow), unwritten.replay(slow)];
  waiting.shift()?.();
  unwritten.keep([publishedFact("0-3")]);
  const answering = setInterval(() => waiting.shift()?.(), 1);
  await Promise.all(replays);
  await unwritten.replay(slow);
  clearInterval(answering);
  expect(new Set(written)).toEqual(new Set(["0-1", "0-2", "0-3"]));
});
