/** The reply to a script of the ledger is lost, and the client sends it again. */
import { describe, expect, it } from "vitest";
import { readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import { type RaceStand, takeoverMs, useRaces } from "../../../support/race-stand.ts";

const races = useRaces();

const mixed = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: bad, when: { responseStatus: 422 }, then: park }
      - { name: old, when: { responseStatus: 410 }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

async function stand(): Promise<RaceStand & { readonly dir: string }> {
  const dir = createFolder().path;
  const document = `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`;
  const race = await races({ drain: mixed, document });
  return { ...race, dir };
}

describe("the reply to a script is lost, and the client sends it again", () => {
  it("R15 of every script of every journey: all is done once", async () => {
    const race = await stand();
    const [a, b] = [await race.worker({ scriptsTwice: true }), await race.worker({ scriptsTwice: true })];
    const due = race.seed(4);
    const bad = race.seed(2, { responseStatus: 422 });
    const old = race.seed(2, { responseStatus: 410 });
    race.rig.emulator.faults.add({ kind: "item-error", positions: [1], count: 1 });
    race.rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "before", count: 1 });
    await a.page();
    expect(await race.states([...due, ...bad, ...old])).toEqual([
      "gone",
      "parked",
      "gone",
      "gone",
      "parked",
      "parked",
      "archived",
      "archived",
    ]);
    await race.wait(takeoverMs + 1);
    await b.sweep();
    await b.page();
    expect((await race.ledger.peek([due[1]!])).views).toMatchObject([
      { state: "parked", reason: "refused", attempt: 0 },
    ]);
    await race.ledger.release(due.slice(1, 2));
    expect(await b.page()).toMatchObject({ tally: { republished: 1 } });
    expect(await race.states([...due, ...old])).toEqual([...due, ...old].map(() => "gone"));
    expect((await readArchive(race.dir)).ids.toSorted()).toEqual(old.toSorted());
    expect([...race.rig.receiver.counts().values()]).toEqual([1, 1, 1, 1]);
    expect(race.rig.emulator.journal.counts().accepted).toBe(4);
    expect(await race.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0, failedDeletes: 0 });
  });
});
