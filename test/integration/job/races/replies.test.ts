/** Races between a script of the ledger and its reply: lost on the way, sent again, or never there. */
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { readArchive } from "../../../support/archives.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { createFolder } from "../../../support/command.ts";
import { createLossyRedis, withholdReplyTo } from "../../../support/lossy-redis.ts";
import { type RaceStand, takeoverMs, twoOn, useRaces, type Worker } from "../../../support/race-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const races = useRaces(redis);

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

interface Case {
  readonly script: string;
  /** What the script leaves when it has run once. */
  readonly state: string;
  /** What else its entry holds then, if the state alone does not show that it ran. */
  readonly leaves?: Readonly<Record<string, unknown>>;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly prepare?: (race: RaceStand, ids: readonly DlqId[]) => Promise<unknown>;
  readonly by?: (worker: Worker) => Promise<unknown>;
  readonly finally: string;
}

const failDelete = (race: RaceStand): Promise<unknown> =>
  Promise.resolve(
    race.rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1 }),
  );
const limitRate = (race: RaceStand): Promise<unknown> =>
  Promise.resolve(
    race.rig.emulator.faults.add({ kind: "status", operation: "batch", status: 429, count: 1 }),
  );

const cases: readonly (readonly [string, Case])[] = [
  ["a begin", { script: "begin", state: "open", finally: "gone" }],
  ["a published fact", { script: "published", state: "published", finally: "gone" }],
  ["a tombstone", { script: "gone", state: "gone", finally: "gone" }],
  [
    "a failed delete",
    {
      script: "deleteFailed",
      state: "published",
      leaves: { df: 1 },
      prepare: failDelete,
      finally: "published",
    },
  ],
  ["a refusal", { script: "refused", state: "cool", prepare: limitRate, finally: "cool" }],
  ["a park", { script: "park", state: "parked", fields: { responseStatus: 422 }, finally: "parked" }],
  ["a drop", { script: "archived", state: "archived", fields: { responseStatus: 410 }, finally: "gone" }],
  [
    "a sweep's tombstone",
    {
      script: "gone",
      state: "gone",
      prepare: async (race) => {
        await failDelete(race);
        await (await race.worker()).page();
      },
      by: (worker) => worker.sweep(),
      finally: "gone",
    },
  ],
];

describe("the reply to a script is lost, and the client sends it again", () => {
  it.each(cases)("R14 of %s: it ran, and its second run changes nothing", async (_what, one) => {
    const race = await stand();
    const lossy = await createLossyRedis(redis.url());
    const a = await race.worker({ redisUrl: lossy.url });
    const ids = race.seed(3, one.fields);
    await one.prepare?.(race, ids);
    const withheld = withholdReplyTo(a, lossy, one.script, ({ lua }) =>
      redis.fresh().command("SCRIPT", "LOAD", lua),
    );
    const ended = one.by?.(a) ?? a.page();
    await withheld;
    await expect.poll(() => race.states(ids)).toEqual(ids.map(() => one.state));
    const ran: unknown = expect.objectContaining(one.leaves ?? {});
    await expect.poll(() => race.entries(ids)).toEqual(ids.map(() => ran));
    const once = await race.entries(ids);
    const holding = a.stop(one.script, "after");
    lossy.lose();
    await holding.reached;
    expect(lossy.said()).toBe(2);
    expect(await race.entries(ids)).toEqual(once);

    holding.release();
    await ended;
    expect(await race.states(ids)).toEqual(ids.map(() => one.finally));
    for (const [, times] of race.rig.receiver.counts()) expect(times).toBe(1);
    expect(race.rig.emulator.journal.counts().deduplicated).toBe(0);
    expect((await readArchive(race.dir)).ids.toSorted()).toEqual(
      one.script === "archived" ? ids.toSorted() : [],
    );
  });

  it("R15 of every script of every journey: all is done once", async () => {
    const { race, a, b, ids: due } = await twoOn(stand(), 4, { scriptsTwice: true }, { scriptsTwice: true });
    const bad = race.seed(2, { responseStatus: 422 });
    const old = race.seed(2, { responseStatus: 410 });
    race.rig.emulator.faults.add({ kind: "item-error", positions: [1], count: 1 });
    race.rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "before", count: 1 });
    await a.page();
    const states = await race.states([...due, ...bad, ...old]);
    expect(states.join(" ")).toBe("gone parked gone gone parked parked archived archived");
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

describe("no reply comes to a begin", () => {
  it("R16 means not begun: nothing is posted, now or when the reply comes after all", async () => {
    const race = await stand();
    const lossy = await createLossyRedis(redis.url());
    const a = await race.worker({ redisUrl: lossy.url });
    const ids = race.seed(2);
    const withheld = withholdReplyTo(a, lossy, "begin", ({ lua }) =>
      redis.fresh().command("SCRIPT", "LOAD", lua),
    );
    const ended = a.page();
    await withheld;
    // What a call waits for Redis, 2 s.
    await expect(ended).rejects.toMatchObject({ code: "redis-unavailable" });
    expect(await race.states(ids)).toEqual(["open", "open"]);
    expect(race.posts).toEqual([]);
    lossy.lose();
    const b = await race.worker();
    expect(await b.page()).toMatchObject({ tally: { inDoubt: 2, republished: 0 } });
    await race.wait(takeoverMs + 1);
    expect(await b.page()).toMatchObject({ tally: { republished: 2, deduplicated: 0 } });
    await expectDrainedOnce(race.rig, 2);
  });
});
