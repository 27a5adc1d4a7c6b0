import { expect, test, vi } from "vitest";
import { lookAtLanes } from "../../src/redrive/lanes/look-at-lanes.ts";
import type { SourceRuntime } from "../../src/redrive/runtime.ts";
import { useRedis } from "../support/redis.ts";
import { createRig } from "../support/rig.ts";

const redis = useRedis();
const never = new AbortController().signal;

test("a look that was stopped after it was asked for still lists from the step's first canary on", async () => {
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: `
    minAge: 1s
    lane: { canary: 1, watch: 2s, haltAt: 50%, probeEvery: 2s }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
  });
  rig.receiver.answer = () => 503;
  rig.seed(1);
  await rig.pass();
  await rig.emulator.idle();
  const { source } = rig.drain;
  let stoppedMs = 0;
  let asked = 0;
  const stopped: SourceRuntime = {
    ...source,
    clock: { ...source.clock, now: () => source.clock.now() + stoppedMs },
    lanes: {
      ...source.lanes,
      due: async () => {
        const due = await source.lanes.due();
        asked += due.watches.length;
        if (due.watches.length > 0) stoppedMs = 600_000;
        return due;
      },
    },
  };
  await vi.waitFor(
    async () => {
      await lookAtLanes(stopped, never);
      expect(asked).toBe(1);
    },
    { timeout: 10_000, interval: 50 },
  );
  expect(rig.eventsOf("lane:moved")).toMatchObject([{ from: "canary", to: "halted", comeBacks: 1 }]);
});
