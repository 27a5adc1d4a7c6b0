import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { horizonMs, type RaceStand, stallPage, takeoverMs, useRaces } from "../../../support/race-stand.ts";

import { atOnce } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const stand = useRaces(redis);

function drainWith(unknownOutcome: "republish" | "park"): string {
  return `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    unknownOutcome: ${unknownOutcome}
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
}

it("R05 a worker that stops between begin and POST is taken over by the sweep, and its own POST never leaves whole: delivered once", async () => {
  const race = await stand();
  const [a, b] = [await race.worker(), await race.worker()];
  race.seed(30);
  const stopped = await stallPage(a, "publish", "before");
  expect(await race.ledger.summary()).toMatchObject({ open: 30, unknown: 0 });
  await b.sweep();
  expect(race.rig.emulator.dlq.size).toBe(30);
  await race.wait(takeoverMs + 1);
  await b.sweep();
  expect(race.rig.emulator.dlq.size).toBe(0);
  await stopped.goOn();
  expect(race.posts).toHaveLength(2);
  await expectDrainedOnce(race.rig, 30);
  expect(await race.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
});

it("what a worker left in doubt before its drain was stopped is asked for again in plan mode, where nothing else begins; in a pause nothing is sent", async () => {
  const race = await stand();
  race.seed(10);
  await stallPage(await race.worker(), "publish", "after");
  await race.wait(takeoverMs + 1);
  race.seed(5);
  const paused = await race.worker({ drain: `    paused: true\n${atOnce}` });
  await paused.sweep();
  expect([race.posts.length, (await race.ledger.summary()).open]).toEqual([1, 10]);
  const planning = await race.worker({ mode: "plan" });
  await planning.sweep();
  await planning.page();
  expect(race.rig.emulator.dlq.size).toBe(5);
  expect(await race.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
  expect(new Set(race.rig.receiver.counts().values())).toEqual(new Set([1]));
});

/**
 * Ten records whose POST was accepted, and no answer came to a worker that died: the horizon has passed
 * since.
 */
async function leaveInDoubt(policy: "republish" | "park"): Promise<RaceStand> {
  const race = await stand({ drain: drainWith(policy) });
  race.seed(10);
  const dead = await race.worker();
  await stallPage(dead, "publish", "after");
  expect(await race.ledger.summary()).toMatchObject({ open: 10 });
  await race.wait(horizonMs + 1);
  return race;
}

describe("an outcome that stays unknown past the deduplication window", () => {
  it("is republished by policy, under a new id, and each declared double is counted and named", async () => {
    const race = await leaveInDoubt("republish");
    const { rig, sweep } = await race.worker();
    await sweep();
    await rig.emulator.idle();
    expect(rig.eventsOf("double:declared")).toHaveLength(10);
    expect(rig.eventsOf("double:declared")[0]).toMatchObject({ why: "unknown-outcome-past-window" });
    expect(rig.emulator.dlq.size).toBe(0);
    expect(new Set(rig.receiver.counts().values())).toEqual(new Set([2]));
  });

  it("is parked by policy, delivered once, and stays in the DLQ", async () => {
    const race = await leaveInDoubt("park");
    const { rig, sweep } = await race.worker();
    await sweep();
    await rig.emulator.idle();
    expect(rig.emulator.dlq.size).toBe(10);
    expect(new Set(rig.receiver.counts().values())).toEqual(new Set([1]));
    expect(await race.ledger.summary()).toMatchObject({ open: 0 });
    const ids = rig.recordsOf("record:decided").map(({ dlqId }) => dlqId as DlqId);
    expect((await race.ledger.look(ids.slice(-1))).views).toMatchObject([
      { state: "parked", reason: "outcome-unknown" },
    ]);
  });
});
