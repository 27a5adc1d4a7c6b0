/** A listing that misbehaves, and a service whose clock is off: noticed, survived, and each message once. */
import { expect, it } from "vitest";
import type { MessageService } from "../../../../src/job/contracts/service.ts";
import type { PassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { passWith } from "../../../support/pass-with.ts";
import { createRig, impatient, minuteMs, ownWindows, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it("a listing that goes in circles in one window ends that window alone, told once; the others go on, and the source is not halted", async () => {
  // The product's windows, whatever the knobs: one is odd, and others are there.
  const rig = await createRig({ redisUrl: redis.url(), ...ownWindows });
  const old = rig.seed(150, { responseStatus: 404 }, 60 * minuteMs);
  const others = rig.seed(150, {}, 10 * minuteMs);
  const [oldest, young] = [old, others].map(([first]) => Number(first?.split("-")[0])) as [number, number];
  const { service } = rig.drain.source;
  const list: MessageService["list"] = async ({ cursor, ...query }, signal) => {
    const at = cursor === undefined || cursor === "again" ? {} : { cursor };
    const page = await service.list({ ...query, ...at }, signal);
    const { fromDate = 0, toDate = Infinity } = query;
    const isPart = fromDate > 0 || toDate < young;
    const isOdd = isPart && fromDate <= oldest && oldest <= toDate;
    return isOdd ? { records: page.records, cursor: "again" } : page;
  };
  const pass = () => passWith(rig, { service: { ...service, list } }, { alwaysFull: true });
  for (let round = 1; round <= 2; round += 1) {
    expect(await pass()).toMatchObject({ outcome: "partial" });
    expect(rig.eventsOf("window:failed").map(({ code }) => code)).toEqual(
      Array.from({ length: round }, () => "listing-endless"),
    );
  }
  expect(rig.emulator.dlq.size).toBe(150);
  expect(rig.drain.source.health.current()).toEqual({ state: "usable" });
  expect(await rig.fullPass()).toMatchObject({ outcome: "complete", tally: { held: 150 } });
  rig.emulator.dlq.remove(old);
  await expectDrainedOnce(rig, 150);
});

it("a listing that lags behind deletes that nobody was told worked leaves the records pending until it shows them no more", async () => {
  const rig = await createRig({ redisUrl: redis.url(), settings: impatient });
  rig.seed(50);
  rig.emulator.faults.add({ kind: "lagging-list", forMs: 10 * minuteMs, count: 1 });
  rig.emulator.faults.add({ kind: "delete-works-answers-500", count: 1 });
  expect(await rig.pass()).toMatchObject({ tally: { republished: 50, deleted: 0 } });
  const { ledger } = rig.drain.source;
  await rig.sweep();
  await rig.fullPass();
  expect(await ledger.summary()).toMatchObject({ pendingDelete: 50 });
  rig.emulator.clock.advance(10 * minuteMs);
  await rig.sweep();
  expect(await ledger.summary()).toMatchObject({ pendingDelete: 0, failedDeletes: 0 });
  await expectDrainedOnce(rig, 50);
});

it.each([
  ["five minutes ahead", 5 * minuteMs],
  ["five minutes behind", -5 * minuteMs],
  ["three days ahead", 3 * 24 * 60 * minuteMs],
  ["three days behind", -3 * 24 * 60 * minuteMs],
])(
  "a service clock %s of ours decides ages: a record is as old as the service says",
  async (_name, skewMs) => {
    const drain = `
    minAge: 2m
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
    const emulator = { clock: { now: () => Date.now() + skewMs } };
    const rig = await createRig({ redisUrl: redis.url(), drain, emulator });
    // By its clock 90 s old, or 150 s; what lies in our own future is listed later.
    const [young, old] = [90_000, 150_000].map((ageMs) => Math.max(ageMs - skewMs, 10_000));
    rig.seed(1, {}, old);
    if (skewMs < 0) rig.seed(1, {}, young);
    const held = skewMs < 0 ? 1 : 0;
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { republished: 1, held } });
    expect(rig.emulator.dlq.size).toBe(held);
  },
);

it.each([
  ["ahead", 5 * minuteMs],
  ["behind", -5 * minuteMs],
] as const)(
  "a service clock five minutes %s of ours hides nothing that enters between passes over what is new",
  async (_name, skewMs) => {
    const emulator = { clock: { now: () => Date.now() + skewMs } };
    const rig = await createRig({ redisUrl: redis.url(), emulator });
    rig.seed(120);
    expect(await rig.pass()).toMatchObject({ tally: { republished: 120 } });
    const seedNow = (): string[] => rig.seed(1, {}, -skewMs);
    seedNow();
    const soon = await rig.pass();
    expect(soon).toMatchObject({ outcome: "complete", tally: { republished: 0 } });
    seedNow();
    // Six minutes later by both clocks.
    rig.emulator.clock.advance(6 * minuteMs);
    // One answer that is dated otherwise than all before it would not be believed.
    for (let answers = 0; answers < 10; answers += 1) {
      await rig.drain.source.service.list({ select: {}, count: 1 });
    }
    expect(await passLater(rig, 6 * minuteMs)).toMatchObject({
      outcome: "complete",
      tally: { republished: 2 },
    });
    expect(rig.eventsOf("pass:opened").map(({ kind }) => kind)).toEqual(["full", "new", "new"]);
    await expectDrainedOnce(rig, 122);
  },
);

it("answers that are dated five minutes ahead of the service's records hide nothing that enters between passes over what is new: the horizon is the earlier of both clocks", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const date = new Date(Date.now() + 5 * minuteMs).toUTCString();
  rig.emulator.faults.add({ kind: "headers", operation: "any", headers: { date } });
  rig.seed(20);
  expect(await rig.pass()).toMatchObject({ tally: { republished: 20 } });
  rig.seed(1, {}, 10_000);
  expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { republished: 1 } });
  expect(rig.eventsOf("pass:opened").map(({ kind }) => kind)).toEqual(["full", "new"]);
  await expectDrainedOnce(rig, 21);
});

/** A pass of a process whose clock has moved on; the offset to the service's is what it was. */
function passLater(rig: Rig, byMs: number): Promise<PassInProcess> {
  const { clock, service } = rig.drain.source;
  const later: MessageService = {
    ...service,
    clockOffsetMs: () => {
      const offsetMs = service.clockOffsetMs();
      return offsetMs === undefined ? undefined : offsetMs - byMs;
    },
  };
  return passWith(rig, { service: later, clock: { ...clock, now: () => clock.now() + byMs } });
}
