/** A redriven message dies again and is listed while its parent is not finished. */
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { type RaceStand, stallPage, takeoverMs, useRaces, type Worker } from "../../../support/race-stand.ts";

const races = useRaces();

interface Return {
  readonly race: RaceStand;
  readonly parent: DlqId;
  readonly comeBack: DlqId;
  /** Holds the parent: its POST was accepted, and it does not know. */
  readonly holder: Worker;
  readonly wake: () => Promise<unknown>;
}

async function createReturn(): Promise<Return> {
  const race = await races();
  const holder = await race.worker();
  const { emulator, receiver } = race.rig;
  receiver.answer = () => 503;
  const [parent] = race.seed(1, { maxRetries: 0 }) as [DlqId];
  const stalled = await stallPage(holder, "publish", "after");
  await emulator.idle();
  // The service's Date has whole seconds: what has just entered may look younger than it is.
  await race.wait(2_000);
  receiver.answer = () => 200;
  const [dead] = emulator.journal.entries("dead-lettered");
  return {
    race,
    parent,
    comeBack: dead?.dlqId as DlqId,
    holder,
    wake: stalled.goOn,
  };
}

const states = [
  ["open", () => Promise.resolve()],
  ["unknown", (race: RaceStand) => race.wait(takeoverMs + 1)],
  ["forgotten", (race: RaceStand) => race.loseEverything()],
] as const;

describe("a come-back is listed beside its parent", () => {
  it.each(states)("R42 which is %s: the parent is settled, not published again", async (_name, become) => {
    const { race, parent, comeBack, wake } = await createReturn();
    await become(race);
    const b = await race.worker();
    expect(await b.page()).toMatchObject({ tally: { comeBacks: 1, republished: 1, deleted: 2 } });
    await wake();
    await race.rig.emulator.idle();
    expect(race.posts.map(({ ids }) => ids)).toEqual([[`redriver-${parent}`], [`redriver-${comeBack}`]]);
    expect(race.rig.receiver.deliveries).toHaveLength(2);
    expect(race.rig.emulator.dlq.size).toBe(0);
    expect(await race.states([parent, comeBack])).toEqual(["gone", "gone"]);
  });

  it("R43 whose holder wakes first: its own fact and the evidence name the same message", async () => {
    const { race, parent, holder, wake } = await createReturn();
    const b = await race.worker();
    const naming = await stallPage(b, "published", "before");
    await wake();
    await naming.goOn();
    expect([...holder.rig.eventsOf("double:found"), ...b.rig.eventsOf("double:found")]).toEqual([]);
    expect(await race.states([parent])).toEqual(["gone"]);
    expect(race.rig.emulator.dlq.size).toBe(0);
    expect(race.posts).toHaveLength(2);
  });
});
