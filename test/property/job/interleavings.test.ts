import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fuzz, watchProcess } from "../../support/fuzzing.ts";
import { anyPlan, type Plan } from "../../support/interleavings/plan.ts";
import { runPlan } from "../../support/interleavings/run-plan.ts";
import { useRedis } from "../../support/redis.ts";

watchProcess();
const redis = useRedis();

test(
  "in any order of any workers, whatever fails and whoever dies, nothing is lost or doubled unsaid, and all comes to rest",
  { timeout: 3_600_000 },
  async () => {
    const total: Record<string, number> = { runs: 0 };
    await fuzz(fc.tuple(fc.scheduler(), anyPlan), 12_000, async ([scheduler, plan]) => {
      const { broken, seen, atWork } = await runPlan(scheduler, plan, redis.fresh());
      expect(broken).toEqual([]);
      const { windows, pages } = atWork;
      expect(Math.max(windows, pages)).toBeLessThanOrEqual(plan.atWork === "down" ? 1 : 64);
      const counts = { runs: 1, [plan.atWork]: 1, ...seen, manyWindows: windows > 2, manyPages: pages > 1 };
      for (const [what, count] of Object.entries(counts)) total[what] = (total[what] ?? 0) + Number(count);
    });
    process.stderr.write(`interleavings: ${JSON.stringify(total)}\n`);
    // A model in which nothing happens would prove nothing.
    const {
      runs = 0,
      mishaps = 0,
      accepted = 0,
      hits = 0,
      takenOver = 0,
      comeBacks = 0,
      survived = 0,
      halts = 0,
      manyWindows = 0,
      manyPages = 0,
    } = total;
    expect(mishaps).toBeGreaterThan(runs);
    expect(accepted).toBeGreaterThan(runs);
    // In as few runs as a machine that stands still has time for, one of these may not happen.
    const least = runs < 200 ? -1 : runs / 100;
    for (const some of [hits, takenOver, comeBacks, survived, halts, manyWindows, manyPages]) {
      expect(some).toBeGreaterThan(least);
    }
  },
);

test("a full pass of a worker whose clock is behind buries nothing that entered behind its horizon", async () => {
  const pass = { kind: "pass", drain: "main" } as const;
  const plan: Plan = {
    letters: [{ kind: "plain", deaths: 1 }],
    unknownOutcome: "republish",
    lane: null,
    atWork: "shipped",
    pageSize: 100,
    maxItems: 100,
    remembersRefused: false,
    scriptsTwice: false,
    workers: [
      { skewMs: 0, lanes: [[{ waitMs: 125_000, task: pass }]] },
      {
        skewMs: -300_000,
        lanes: [
          [
            { waitMs: 0, task: pass },
            { waitMs: 301_000, task: pass },
            { waitMs: 1_000, task: pass },
          ],
        ],
      },
    ],
    mishaps: [{ operation: "remove", nth: 1, times: 1, mishap: { kind: "short" } }],
    jumps: [],
  };
  const [scheduler] = fc.sample(fc.scheduler(), { seed: 1, numRuns: 1 });
  if (scheduler === undefined) throw new Error("one is sampled");
  expect((await runPlan(scheduler, plan, redis.fresh())).broken).toEqual([]);
});
