/**
 * What a deduplication hit proves, by what became of the POSTs before it. The simpler histories are in
 * redrive-order and redrive-faults.
 */
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { auditOf } from "../../../support/audit-of.ts";
import {
  drainThat,
  horizonMs,
  type RaceStand,
  stallPage,
  takeoverMs,
  useRaces,
} from "../../../support/race-stand.ts";

const stand = useRaces();

/** The first POST of a worker that died with it; `when` the service lost its answer. */
async function firstUnanswered(race: RaceStand, when: "before" | "after"): Promise<void> {
  race.rig.emulator.faults.add({ kind: "drop-answer", operation: "batch", when, count: 1 });
  const dead = await race.worker();
  await stallPage(dead, "publish", "after");
  await race.wait(takeoverMs + 1);
}

describe("a hit after an unanswered POST and a refusal", () => {
  it("R40 proves nothing, whoever knows the id: the record stays in doubt, and past its window the next suffix brings it", async () => {
    const race = await stand();
    const [id] = race.seed(1) as [DlqId];
    await firstUnanswered(race, "before");
    const { faults, journal, dlq } = race.rig.emulator;
    faults.add({ kind: "item-error", positions: [0], registersDeduplication: true, count: 1 });
    const b = await race.worker();
    expect(await b.page()).toMatchObject({ tally: { republished: 0, inDoubt: 1, parked: 0 } });
    await race.wait(takeoverMs + 1);
    const c = await race.worker();
    expect(await c.page()).toMatchObject({ tally: { republished: 0, deleted: 0, inDoubt: 1 } });
    expect(journal.counts()).toMatchObject({ accepted: 0, deduplicated: 1 });
    expect((await race.ledger.peek([id])).views).toMatchObject([{ state: "open", series: { suffix: 1 } }]);
    expect(dlq.size).toBe(1);

    await race.wait(horizonMs);
    await c.sweep();
    expect(race.posts.at(-1)).toMatchObject({ ids: [`redriver-${id}-2`] });
    expect(c.rig.eventsOf("double:declared")).toMatchObject([{ why: "unknown-outcome-past-window" }]);
    const intents = (await auditOf(c.rig.core, "republish")).map(({ records }) => records[0]?.notes);
    expect(intents).toEqual([undefined, undefined, undefined, ["unknown-outcome-past-window"]]);
    expect(journal.counts().accepted).toBe(1);
    expect(dlq.size).toBe(0);
  });

  it("R41 also where the first was accepted: nothing is deleted on it, and a park keeps it from doubling", async () => {
    const race = await stand({ drain: drainThat("republish", "unknownOutcome: park") });
    const [id] = race.seed(1) as [DlqId];
    await firstUnanswered(race, "after");
    race.rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, count: 1 });
    const b = await race.worker();
    await b.page();
    expect((await race.ledger.peek([id])).views).toMatchObject([
      { state: "open", series: { posts: 2, refusals: 1 } },
    ]);
    await race.wait(takeoverMs + 1);
    await b.page();
    expect(race.rig.emulator.dlq.size).toBe(1);
    await race.wait(horizonMs);
    await b.sweep();
    expect(await race.states([id])).toEqual(["parked"]);
    expect(race.rig.emulator.journal.counts()).toMatchObject({ accepted: 1, deduplicated: 1 });
  });
});
