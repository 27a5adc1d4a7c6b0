/**
 * Races for a dead letter that a rule drops: it is in the archive before it is deleted, and in the end only
 * one act is done.
 */
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../support/command.ts";
import {
  drainThat,
  type RaceStand,
  stallPage,
  takeoverMs,
  twoOn,
  useRaces,
} from "../../../support/race-stand.ts";

const races = useRaces();

const drops = drainThat("drop");
const republishes = drainThat("republish");

function stand(): Promise<RaceStand> {
  const document = `archive: { dir: ${createFolder().path}, keep: 30d, volume: ephemeral }\n`;
  return races({ drain: drops, document });
}

describe("two workers drop the same", () => {
  it("R55 one after the other, and the first wakes with its copy made: its token is spent, and it deletes nothing", async () => {
    const { race, a, b, ids } = await twoOn(stand(), 2);
    const stalled = await stallPage(a, "archive", "after");
    await race.wait(takeoverMs + 1);
    const archiving = await stallPage(b, "archive", "before");
    expect(await stalled.goOn()).toMatchObject({ tally: { deleted: 0 } });
    expect(race.rig.emulator.dlq.size).toBe(2);
    expect(await archiving.goOn()).toMatchObject({ tally: { deleted: 2 } });
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
  });
});

describe("one drops and another republishes the same", () => {
  it("R56 which takes the drop over: it is published once, and the drop that wakes deletes nothing of its own", async () => {
    const { race, a, b, ids } = await twoOn(stand(), 2, {}, { drain: republishes });
    const stalled = await stallPage(a, "archive", "after");
    await race.wait(takeoverMs + 1);
    const posting = await stallPage(b, "publish", "before");
    expect(await stalled.goOn()).toMatchObject({ tally: { deleted: 0 } });
    expect(await race.states(ids)).toEqual(["open", "open"]);
    expect(await posting.goOn()).toMatchObject({ tally: { republished: 2, deleted: 2 } });
    expect(race.rig.emulator.journal.counts().accepted).toBe(2);
  });

  it("R57 whose POST was accepted when the drop takes over: the fact overrides what was archived, and nothing goes out again", async () => {
    const { race, a, b, ids } = await twoOn(stand(), 2, { drain: republishes });
    const stalled = await stallPage(a, "publish", "after");
    await race.wait(takeoverMs + 1);
    const deleting = await stallPage(b, "remove", "before");
    expect(await race.states(ids)).toEqual(["archived", "archived"]);
    const last = a.stop("remove", "before");
    const late = stalled.goOn();
    await last.reached;
    expect(await race.states(ids)).toEqual(["published", "published"]);
    await deleting.goOn();
    last.release();
    await late;
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    expect(race.posts).toHaveLength(1);
    expect(race.rig.emulator.dlq.size).toBe(0);
  });
});
