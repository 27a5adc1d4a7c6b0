import { expect, it } from "vitest";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { stallPage, takeoverMs, useRaces } from "../../../support/race-stand.ts";
import { atOnce } from "../../../support/rig.ts";

const stand = useRaces();

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
