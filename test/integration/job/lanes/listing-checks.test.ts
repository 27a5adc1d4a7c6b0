import { letterOf, writeLineage } from "../../../support/letters.ts";
import { expect, test } from "vitest";
import { nextLineage } from "../../../../src/job/message/lineage.ts";
import type { LaneWatch } from "../../../../src/job/contracts/lanes.ts";
import type { ListQuery } from "../../../../src/job/contracts/service.ts";
import { runListingChecks } from "../../../../src/job/lanes/listing-checks.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, minuteMs, never, type Rig } from "../../../support/rig.ts";

const redis = useRedis();

/** What a look lists, and what it tells of it, where these steps ask for one. Minutes are from now. */
async function lookAt(
  { drain: { source } }: Rig,
  steps: readonly (readonly [number, number])[],
  clockOffsetMs = 0,
  stoppedMs = 0,
) {
  const at = Date.now();
  let now = at;
  const queries: ListQuery[] = [];
  const checked: unknown[] = [];
  const noted: number[] = [];
  const watches = steps.map(([first, until], index) => ({
    lane: "laneA12345",
    drain: "main",
    origin: "https://api.example.com",
    state: "open",
    step: index + 1,
    firstSentAt: at + first * minuteMs,
    until: at + until * minuteMs,
  })) as LaneWatch[];
  await runListingChecks(
    {
      ...source,
      clock: { ...source.clock, now: () => now },
      service: {
        ...source.service,
        clockOffsetMs: () => clockOffsetMs,
        list: (query, signal) => {
          if (query.cursor === undefined) queries.push(query);
          return source.service.list(query, signal);
        },
      },
      lanes: {
        ...source.lanes,
        due: () => {
          now += stoppedMs;
          return Promise.resolve({ watches, at });
        },
        recordComeBacks: (back) => Promise.resolve(void noted.push(...back.map(({ step }) => step))),
        checked: (step, checkedAt, back) =>
          Promise.resolve(void checked.push([step.step, checkedAt - at, back.length])),
      },
    },
    never,
  );
  const secondsOf = (date: number | undefined) => (date === undefined ? null : (date - at) / 1_000);
  const ranges = queries.map(({ fromDate, toDate }) => [secondsOf(fromDate), secondsOf(toDate)]);
  return { ranges, checked, noted };
}

test("steps whose watches overlap are looked at with one listing, until ten minutes after the last of them", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const steps = [
    [-60, -50],
    [-56, -45],
    [-55, -54],
    [-30, -29],
    [-2, -1],
  ] as const;
  const { ranges, checked } = await lookAt(rig, steps);
  // Five seconds more at both ends.
  expect(ranges).toEqual([
    [-60 * 60 - 5, -35 * 60 + 5],
    [-30 * 60 - 5, -19 * 60 + 5],
    [-2 * 60 - 5, null],
  ]);
  expect(checked).toEqual([1, 2, 3, 4, 5].map((step) => [step, 0, 0]));
});

test.each([
  ["whose service's clock is ahead", 540_000, 0, 0, 540],
  ["whose service's clock is behind", -540_000, 0, -540, 0],
  ["that was stopped after it was asked for", 0, 600_000, 0, 600],
])("a look %s lists from the earlier time to the later one", async (_, offsetMs, stoppedMs, begin, end) => {
  const rig = await createRig({ redisUrl: redis.url() });
  const { ranges } = await lookAt(rig, [[-60, -50]], offsetMs, stoppedMs);
  expect(ranges).toEqual([[-60 * 60 - 5 + begin, -40 * 60 + 5 + end]]);
});

test("an early look that would list more than fifty pages says nothing of its step", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(5_100, {}, 30_000);
  expect((await lookAt(rig, [[-1, 1]])).checked).toEqual([]);
  expect((await lookAt(rig, [[-1, 0]])).checked).toEqual([[1, 0, 0]]);
}, 120_000);

test("what a look meets of other steps is noted, and says nothing of its own", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  for (const step of [1, 9]) {
    const body = `message of step ${step}`;
    const lineage = {
      ...nextLineage(letterOf({ dlqId: `1-${step}` }), { kind: "none" }, 0),
      step: { lane: "laneA12345", step, isCanary: true, isProbe: false },
    };
    const header = { "X-Redriver": [writeLineage(lineage, body, rig.drain.source.lineageKeys()[0])] };
    rig.seed(1, { body, header }, 30_000);
  }
  const { checked, noted } = await lookAt(rig, [[-1, 0]]);
  expect(noted.toSorted((a, b) => a - b)).toEqual([1, 9]);
  expect(checked).toEqual([[1, 0, 1]]);
});
