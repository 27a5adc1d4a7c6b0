import { expect, it } from "vitest";
import { workPage } from "../../../../../src/job/page/work-page.ts";
import { secondsAhead } from "../../../../rig/outcome.ts";
import { createRig, never, type Rig } from "../../../../support/rig.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

/** No batch has its turn before so many wait for one. */
function haveTurnsTogether(rig: Rig, batches: number): void {
  const { source } = rig.drain;
  const { takeBatchTurn } = source;
  const waiters: (() => void)[] = [];
  let count = 0;
  Object.assign(source, {
    takeBatchTurn: async (signal: AbortSignal) => {
      count += 1;
      if (count < batches) await new Promise<void>((resolve) => waiters.push(resolve));
      for (const resolve of waiters.splice(0)) resolve();
      return takeBatchTurn(signal);
    },
  });
}

it("batches that wait for their turn leave at the rate, although their grants are of different seconds", async () => {
  const perSecond = 20;
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: `
    minAge: 0s
    limits: { publish: ${perSecond}/s }
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`,
  });
  rig.seed(100);
  const { service, ledger } = rig.drain.source;
  const { at: readAt } = await ledger.now();
  const { records } = await service.list({ select: {}, count: 100 }, never);
  const startAt = Date.now();
  haveTurnsTogether(rig, 3);
  const outcomes = await Promise.all(
    [0, 34, 68].map((from) =>
      workPage(rig.drain, { records: records.slice(from, from + 34), readAt }, never),
    ),
  );
  expect(outcomes.map(({ tally }) => tally.republished)).toEqual([34, 34, 32]);
  const accepted = rig.emulator.journal.entries("accepted");
  expect(accepted[0]!.at - startAt).toBeGreaterThan(1_900);
  // One second's worth at once, and half a second that a batch may be late.
  expect(secondsAhead(accepted, perSecond)).toBeLessThanOrEqual(1.5);
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()].every((times) => times === 1)).toBe(true);
});
