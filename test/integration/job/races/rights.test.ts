/** What a person, a gate or another document says between a worker's look and its act. */
import { describe, expect, it } from "vitest";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { drainThat, stallPage, twoOn, useRaces } from "../../../support/race-stand.ts";

const stand = useRaces();

/** The document of a replica that has not read the newest one yet. */
const parksAll = drainThat("park");

describe("a person releases a park", () => {
  it("R45 between the look of a worker under other rules and its begin: one attempt, once", async () => {
    const { race, a: old, b: a, ids } = await twoOn(stand(), 2, { drain: parksAll });
    await old.page();
    expect(await race.states(ids)).toEqual(["parked", "parked"]);
    const deciding = await stallPage(a, "begin", "before");
    expect(await race.ledger.release(ids)).toMatchObject({ count: 2 });
    expect(await deciding.goOn()).toMatchObject({ tally: { republished: 2, deleted: 2 } });
    expect(race.posts).toHaveLength(1);
    await expectDrainedOnce(race.rig, 2);
  });

  it("R46 while its worker has it on its way: nothing is released, and nothing is published twice", async () => {
    const race = await stand();
    const [old, a, b] = [await race.worker({ drain: parksAll }), await race.worker(), await race.worker()];
    const ids = race.seed(2);
    await old.page();
    const posting = await stallPage(a, "publish", "before");
    expect(await race.ledger.release(ids)).toMatchObject({ count: 0 });
    expect(await b.page()).toMatchObject({ tally: { republished: 0 } });
    await posting.goOn();
    expect(race.posts).toHaveLength(1);
    await expectDrainedOnce(race.rig, 2);
  });
});

describe("between decide and begin", () => {
  it("R51 a person pauses: nothing is posted until it is lifted", async () => {
    const race = await stand();
    const a = await race.worker();
    race.seed(1);
    const deciding = await stallPage(a, "begin", "before");
    const { pauses } = a.rig.core.sources.get(a.drain.source.config.id)!;
    await pauses.pause({ drain: "*", reason: "look first", by: "me", at: Date.now() });
    expect(await deciding.goOn()).toMatchObject({
      tally: { republished: 0, reasons: { due: { paused: 1 } } },
    });
    expect(race.posts).toEqual([]);
    await pauses.resume({ drain: "*" });
    expect(await a.page()).toMatchObject({ tally: { republished: 1 } });
    await expectDrainedOnce(race.rig, 1);
  });
});
