import { describe, expect, it } from "vitest";
import type { Ledger } from "../../../../src/job/contracts/ledger.ts";
import { defaultLimits, publishedFact } from "../../../support/ledger-stands.ts";
import { createMemoryLedger } from "../../../support/memory/memory-ledger.ts";
import { createUnwrittenFacts } from "../../../../src/job/sweep/unwritten-facts.ts";

describe("facts that could not be written", () => {
  it("are all written when two replays run at once and one more is kept meanwhile", async () => {
    const written: string[] = [];
    const waiting: (() => void)[] = [];
    const ledger = createMemoryLedger({ now: () => 1 }, defaultLimits);
    const slow: Ledger = {
      ...ledger,
      published: async (facts) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        written.push(...facts.map(({ dlqId }) => dlqId));
        return ledger.published(facts);
      },
    };
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
});
