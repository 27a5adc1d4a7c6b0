/** A person pauses one destination: nothing new goes there, and the others go on. Or a drain: nothing of it goes. */
import { expect, it } from "vitest";
import { expectDrainedOnce } from "../../../../support/accounts.ts";
import { drainThat, useRaces, type Worker } from "../../../../support/race-stand.ts";

const stand = useRaces();
const order = { drain: "*", reason: "being moved", by: "ann", at: 1 } as const;

/** The receiver under two names, and the pauses that a worker's ledger reads. */
async function twoHosts() {
  const race = await stand();
  const a = await race.worker();
  const paused = new URL(race.rig.receiver.url).host;
  const other = race.rig.receiver.url.replace("127.0.0.1", "localhost");
  const seedOther = (count: number) => race.seed(count, { url: `${other}/hook` });
  return { race, a, paused, seedOther, pauses: pausesOf(a) };
}

const pausesOf = ({ rig, drain }: Worker) => rig.core.sources.get(drain.source.config.id)!.pauses;

it("holds what goes there before it takes any grant, and says which pause and until when", async () => {
  const { race, a, paused, seedOther, pauses } = await twoHosts();
  const ids = race.seed(2);
  seedOther(2);
  const { until } = await pauses.pause({ ...order, host: paused }, 60_000);
  const { tally, left } = await a.page();
  expect(tally).toMatchObject({ republished: 2, held: 2, due: 0, reasons: { held: { "host-paused": 2 } } });
  expect(left).toMatchObject(ids.map((dlqId) => ({ dlqId, reason: "host-paused", dueAt: until })));
  const said = a.rig.recordsOf("record:decided").filter(({ decision }) => decision.reason === "host-paused");
  expect(said[0]?.explain()).toContain(paused);
  expect(await race.states(ids)).toEqual(["absent", "absent"]);
  await pauses.resume({ drain: "*", host: paused });
  // What is known of pauses is a second old at most, by the machine's clock.
  await expect
    .poll(async () => (await a.page()).tally, { timeout: 10_000, interval: 200 })
    .toMatchObject({ republished: 2 });
  await expectDrainedOnce(race.rig, 4);
});

it("a pause between decide and begin stops that destination alone, also within one batch", async () => {
  const { race, a, paused, seedOther, pauses } = await twoHosts();
  const ids = race.seed(2);
  seedOther(3);
  const deciding = a.stop("begin", "before");
  const page = a.page();
  await deciding.reached;
  await pauses.pause({ ...order, host: paused });
  deciding.release();
  expect((await page).tally).toMatchObject({ republished: 3, reasons: { held: { "host-paused": 2 } } });
  expect(race.posts).toHaveLength(1);
  expect(race.posts[0]?.ids).toHaveLength(3);
  expect(await race.states(ids)).toEqual(["absent", "absent"]);
  await pauses.resume({ drain: "*", host: paused });
  expect((await a.page()).tally).toMatchObject({ republished: 2 });
  await expectDrainedOnce(race.rig, 5);
});

it("a page of a paused drain waits for no rate, and goes in the pass right after its resume", async () => {
  const race = await stand({ drain: drainThat("republish", "limits: { perHost: 1/m }") });
  const a = await race.worker();
  const ids = race.seed(8);
  await pausesOf(a).pause(order);
  const { tally, left } = await a.page();
  expect(tally).toMatchObject({ republished: 0, reasons: { due: { paused: 8 } } });
  expect(left).toMatchObject(ids.map((dlqId) => ({ dlqId, reason: "paused" })));
  await pausesOf(a).resume(order);
  expect((await a.page()).tally).toMatchObject({ republished: 1, reasons: { due: { "rate-limit": 7 } } });
});
