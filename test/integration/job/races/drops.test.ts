/**
 * Races for a dead letter that a rule drops: it is in the archive before it is deleted, and in the end only
 * one act is done.
 */
import { describe, expect, it } from "vitest";
import { readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import {
  drainThat,
  type RaceStand,
  stallPage,
  takeoverMs,
  twoOn,
  useRaces,
  ways,
} from "../../../support/race-stand.ts";

const races = useRaces();

const drops = drainThat("drop");
const republishes = drainThat("republish");

async function stand(): Promise<RaceStand & { kept(): Promise<readonly string[]> }> {
  const dir = createFolder().path;
  const document = `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`;
  const race = await races({ drain: drops, document });
  return { ...race, kept: async () => (await readArchive(dir)).ids.toSorted() };
}

describe("a worker that drops dies", () => {
  it.each(ways)(
    "R52 between the archive's write and the fact: after the takeover %s drops it again, with a second copy",
    async (_way, takeUp) => {
      const { race, a, b, ids } = await twoOn(stand(), 2);
      await stallPage(a, "archive", "after");
      await takeUp(b);
      expect(race.rig.emulator.dlq.size).toBe(2);
      await race.wait(takeoverMs + 1);
      await takeUp(b);
      expect(await race.states(ids)).toEqual(["gone", "gone"]);
      expect(race.rig.emulator.dlq.size).toBe(0);
      expect(await race.kept()).toEqual([...ids, ...ids].toSorted());
    },
  );

  it.each(ways)(
    "R53 between the fact and the delete: %s deletes it, without a second copy",
    async (_way, takeUp) => {
      const { race, a, b, ids } = await twoOn(stand(), 2);
      await stallPage(a, "archived", "after");
      expect(await race.states(ids)).toEqual(["archived", "archived"]);
      await race.wait(takeoverMs + 1);
      await takeUp(b);
      expect(await race.states(ids)).toEqual(["gone", "gone"]);
      expect(race.rig.emulator.dlq.size).toBe(0);
      expect(await race.kept()).toEqual(ids.toSorted());
    },
  );
});

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
