/** Races for a dead letter that a person discards, of a drain whose rules would publish it, and for one that a rule drops. */
import { describe, expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { workPage } from "../../../../src/job/page/work-page.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import {
  deadAt,
  drainThat,
  horizonMs,
  type RaceStand,
  stallPage,
  takeoverMs,
  twoOn,
  useRaces,
  type Worker,
  type WorkerOptions,
} from "../../../support/race-stand.ts";

const races = useRaces();
const republishes = drainThat("republish");
const why = "plan 1f2e3d4c: INC-7";

type Stand = RaceStand & {
  kept(): Promise<readonly string[]>;
  /** A worker that does what a person ordered. */
  person(): Promise<Worker>;
  park(ids: readonly DlqId[]): Promise<void>;
};

async function stand(options: WorkerOptions = {}): Promise<Stand> {
  const dir = createFolder().path;
  const document = `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }
`;
  const race = await races({ document, ...options });
  return {
    ...race,
    kept: async () => (await readArchive(dir)).ids.toSorted(),
    async person() {
      const worker = await race.worker();
      return { ...worker, page: async () => discard(worker.drain, await worker.list()) };
    },
    async park(ids) {
      const of = { drain: "main" as DrainName, rulesHash: race.rig.drain.config.rulesHash, token: null };
      const requests = ids.map((dlqId) => ({ dlqId, reason: "outcome-unknown", attempt: 1 }) as const);
      await race.rig.drain.source.ledger.park(requests, of);
    },
  };
}

/** How it ended, and the copies that the archive has. */
async function endOf(race: Stand, ids: readonly DlqId[]) {
  const { size } = race.rig.emulator.dlq;
  return { states: new Set(await race.states(ids)), size, posts: race.posts, kept: await race.kept() };
}

const discarded = (copies: readonly DlqId[]) => ({
  states: new Set(["gone"]),
  size: 0,
  posts: [],
  kept: copies.toSorted(),
});

function discard(drain: DrainRuntime, page: Parameters<typeof workPage>[1]) {
  const ordered: DrainRuntime = { ...drain, config: { ...drain.config, mode: "live" }, discard: { why } };
  return workPage(ordered, page, new AbortController().signal);
}

describe("a discard", () => {
  it("whose worker dies is ended in plan mode too, also of what was parked past its horizon", async () => {
    const race = await stand({ mode: "plan" });
    const ids = race.seed(2);
    await race.park(ids);
    await race.wait(horizonMs + 1);
    await stallPage(await race.person(), "archive", "before");
    await race.wait(takeoverMs + 1);
    await (await race.worker()).sweep();
    expect(await endOf(race, ids)).toEqual(discarded(ids));
  });

  it.each(["before", "after"] as const)(
    "R61 whose worker dies %s its DELETE leaves the fact, and the sweep deletes without a second copy",
    async (moment) => {
      const { race, ids } = await deadAt(stand(), 2, "remove", moment, (on) => on.person());
      await race.wait(takeoverMs + 1);
      await (await race.worker()).sweep();
      expect(await endOf(race, ids)).toEqual(discarded(ids));
    },
  );

  it("R62 leaves what was begun and is not proven: it is reconciled first", async () => {
    const { race, ids } = await deadAt(stand(), 2, "publish", "after");
    const person = await race.person();
    for (const waitMs of [0, takeoverMs + 1]) {
      await race.wait(waitMs);
      expect((await person.page()).left.map(({ reason }) => reason)).toEqual(
        ids.map(() => (waitMs === 0 ? "in-flight" : "outcome-unknown")),
      );
    }
    expect(race.rig.emulator.dlq.size).toBe(2);
    await (await race.worker()).sweep();
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    expect(race.rig.emulator.journal.counts().accepted).toBe(2);
    expect(await race.kept()).toEqual([]);
  });

  it("R63 that looked before another worker's POST does not begin what that has left unproven", async () => {
    const race = await stand();
    const ids = race.seed(2);
    const person = await race.person();
    const begin = await stallPage(person, "begin", "before");
    await stallPage(await race.worker(), "publish", "after");
    await race.wait(takeoverMs + 1);
    await begin.goOn();
    expect(await race.states(ids)).toEqual(["open", "open"]);
    expect(race.rig.emulator.dlq.size).toBe(2);
    expect(await race.kept()).toEqual([]);
  });
});

describe("two workers drop the same", () => {
  it("R55 one after the other, and the first wakes with its copy made: its token is spent, and it deletes nothing", async () => {
    const { race, a, b, ids } = await twoOn(stand({ drain: drainThat("drop") }), 2);
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
    const { race, a, b, ids } = await twoOn(
      stand({ drain: drainThat("drop") }),
      2,
      {},
      { drain: republishes },
    );
    const stalled = await stallPage(a, "archive", "after");
    await race.wait(takeoverMs + 1);
    const posting = await stallPage(b, "publish", "before");
    expect(await stalled.goOn()).toMatchObject({ tally: { deleted: 0 } });
    expect(await race.states(ids)).toEqual(["open", "open"]);
    expect(await posting.goOn()).toMatchObject({ tally: { republished: 2, deleted: 2 } });
    expect(race.rig.emulator.journal.counts().accepted).toBe(2);
  });

  it("R57 whose POST was accepted when the drop takes over: the fact overrides what was archived, and nothing goes out again", async () => {
    const { race, a, b, ids } = await twoOn(stand({ drain: drainThat("drop") }), 2, { drain: republishes });
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
