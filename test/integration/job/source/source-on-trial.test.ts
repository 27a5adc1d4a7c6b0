/** Publishing that was halted and is tried again: what that costs, and when it counts as over. */
import { expect, it } from "vitest";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { passWith } from "../../../support/pass-with.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, type Rig } from "../../../support/rig.ts";

const redis = useRedis();

/** A pass of a worker that asks no batch again, and what its batches held. */
function worker(rig: Rig) {
  const sent: number[] = [];
  const { service, health } = rig.drain.source;
  const publish: typeof service.publish = (items, ...call) => {
    sent.push(items.length);
    return service.publish(items, ...call);
  };
  const parts = { service: { ...service, publish }, health: { ...health, takeRetry: () => false } };
  return { sent, pass: () => passWith(rig, parts) };
}

async function haltedByUnreadable(younger = 50) {
  const rig = await createRig({ redisUrl: redis.url() });
  const { health } = rig.drain.source;
  rig.emulator.faults.add({ kind: "malformed-json", operation: "batch", name: "proxy" });
  rig.seed(60);
  const { sent, pass } = worker(rig);
  await pass();
  expect(health.current("batch")).toMatchObject({ state: "halted", code: "answer-unreadable" });
  expect(sent).toEqual([60]);
  await rig.emulator.idle();
  expect(new Set(rig.receiver.counts().values())).toEqual(new Set([1]));
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 60, pendingDelete: 0 });
  rig.seed(younger, {}, 30_000);
  return { rig, health, sent, pass };
}

it("a trial that fails leaves one message in doubt, and is no news", async () => {
  const { rig, health, sent, pass } = await haltedByUnreadable();
  health.tryPublishing();
  expect(await pass()).toMatchObject({
    tally: { inDoubt: 1, due: 49, reasons: { due: { "source-halted": 49 } } },
  });
  expect(sent).toEqual([60, 1]);
  expect(health.current("batch")).toMatchObject({ state: "halted", failedTrials: 1 });
  expect(rig.eventsOf("source:halted")).toHaveLength(1);
  expect(rig.eventsOf("source:resumed")).toEqual([]);
});

it("a trial that is answered ends the halt, and the rest goes out in whole batches", async () => {
  const { rig, health, sent, pass } = await haltedByUnreadable();
  rig.emulator.faults.remove("proxy");
  health.tryPublishing();
  expect(health.standing()).toMatchObject({ state: "halted", onTrial: true });
  expect(await pass()).toMatchObject({ tally: { republished: 50, due: 0 } });
  expect(sent).toEqual([60, 1, 49]);
  expect(health.standing()).toEqual({ state: "usable" });
  expect(rig.eventsOf("source:resumed")).toHaveLength(1);
});

it("a refusal of its one message is an answer to a trial", async () => {
  const { rig, health, sent, pass } = await haltedByUnreadable(1);
  rig.emulator.faults.remove("proxy");
  rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, count: 1 });
  health.tryPublishing();
  expect(await pass()).toMatchObject({ tally: { republished: 0, held: 1 } });
  expect(sent).toEqual([60, 1]);
  expect(health.standing()).toEqual({ state: "usable" });
});

it("where everything was refused the trial is a whole batch, and ends when one of it is accepted", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const { health } = rig.drain.source;
  rig.seed(40);
  health.halt("service-refuses-everything", "10 in a row", "batch");
  health.tryPublishing();
  const { sent, pass } = worker(rig);
  await pass();
  expect(sent).toEqual([40]);
  expect(health.standing()).toEqual({ state: "usable" });
  await expectDrainedOnce(rig, 40);
});
