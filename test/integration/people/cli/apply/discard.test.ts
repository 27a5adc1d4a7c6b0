import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readArchive } from "../../../../support/archives.ts";
import { expectTold, linesOf, type Row } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const by = ["--by", "ada", "--reason", "INC-7: nobody wants them"];
/** A lane that is never opened, an age that nothing has, a rule that parks, and one that publishes. */
const heldDocument = outageDocument
  .replace("lane: none", "lane: { canary: 1, watch: 10m, haltAt: 20%, probeEvery: 15m }")
  .replace("mode: plan", "mode: live")
  .replace("minAge: 1s", "minAge: 1d");

type Stand = PlanStand & { readonly dir: string; kept(): Promise<readonly string[]> };

async function setUp(document = outageDocument, dir = createFolder().path): Promise<Stand> {
  const archive = `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }`;
  const stand = await createPlanStand(redis.url(), { document: `${document}${archive}\n` });
  return {
    ...stand,
    dir,
    kept: async () => {
      const { entries, ids } = await readArchive(dir);
      expect(entries.filter(({ why }) => why !== "discarded")).toEqual([]);
      return ids.toSorted();
    },
  };
}

/** Makes a shared plan, and answers its id. */
async function keep({ run }: Stand, ...args: readonly string[]): Promise<string> {
  const { out, err, exitCode } = await run(["plan", "--all", "--discard", "--keep", "--json", ...args]);
  expect({ err: err.includes("kept for a day"), exitCode }).toEqual({ err: true, exitCode: 0 });
  return (JSON.parse(out) as { readonly id: string }).id;
}

async function dropsOf({ run }: Stand): Promise<readonly Row[]> {
  const { out } = await run(["history", "--act", "drop", "--records", "--json", "--limit", "1000"]);
  return linesOf(out);
}

describe("a plan to discard", () => {
  it("archives and deletes what waits, held or parked, with plan, person and reason in the audit of each", async () => {
    const stand = await setUp(heldDocument);
    const ids = [
      ...stand.seed(130),
      ...stand.seed(20, { responseStatus: 422 }),
      ...stand.seed(5, { url: "no url" }),
    ];
    await stand.run(["drain", "orders", "--yes"]);
    expect((await stand.run(["plan", "--all"])).out).toMatch(
      /later +130 republish.*stays +20 parked already/s,
    );
    const { out } = await stand.run(["plan", "--all", "--discard"]);
    expect(out).toContain("to discard  an apply archives each first, then deletes it.");
    expect(out).toMatch(/now +155 discard/);
    const planned = JSON.parse((await stand.run(["plan", "--all", "--json"])).out) as {
      readonly drains: readonly { failures: { top: readonly { id: string; count: number }[] } }[];
    };
    const kinds = planned.drains[0]!.failures.top;
    expect(kinds.map(({ count }) => count)).toEqual([130, 20, 5]);
    const id = await keep(stand);
    const late = stand.seed(3);
    const { exitCode, out: told } = await stand.run(["apply", id, ...by]);
    expect(told).toContain(`orders: 155 discarded; archived in ${stand.dir}\n`);
    expect(exitCode).toBe(0);
    expect(stand.emulator.journal.counts().accepted).toBe(0);
    expect(stand.emulator.dlq.size).toBe(3);
    expect(late.every((one) => stand.emulator.dlq.find(one) !== undefined)).toBe(true);
    expect(await stand.kept()).toEqual(ids.toSorted());
    const drops = await dropsOf(stand);
    expect(new Set(drops.map(({ dlqId }) => dlqId))).toEqual(new Set(ids));
    const why = `plan ${id}: INC-7: nobody wants them`;
    const { startedAt: orderedAt } = (
      JSON.parse((await stand.run(["plans", "show", id, "--json"])).out) as {
        readonly plan: { readonly apply: { readonly startedAt: number } };
      }
    ).plan.apply;
    for (const drop of drops) expect(drop).toMatchObject({ by: "ada", reason: "discarded", why, orderedAt });
    // Each names its kind, whose page tells the discard.
    const noted = kinds.map(({ id: kind }) =>
      drops.filter(({ notes }) => (notes as readonly string[])[0] === `failure:${kind}`),
    );
    expect(noted.map((some) => some.length)).toEqual(kinds.map(({ count }) => count));
    // Once more does nothing more, and tells the same.
    const again = await stand.run(["apply", id, "--json", ...by]);
    expect(again.exitCode).toBe(0);
    // So does its kind, also after a full pass.
    await stand.run(["drain", "orders", "--yes"]);
    const listed = linesOf((await stand.run(["failures", "list", "--all", "--json"])).out);
    expect(kinds.map(({ id: kind }) => listed.find((one) => one["id"] === kind)?.["discarded"])).toEqual(
      kinds.map(({ count }) => count),
    );
    expect(JSON.parse(again.out)).toMatchObject([
      {
        check: { planned: 155, done: 155 },
        applied: { tally: { dropped: 0 } },
        verdict: { discarded: 155, sent: 0, isBad: false },
      },
    ]);
  });

  it("takes what its filters select, by the rule that would decide, and leaves what changed or left", async () => {
    const stand = await setUp();
    const [changed = "", gone = ""] = stand.seed(60, { url: `${stand.receiver.url}/a` });
    stand.seed(10, { responseStatus: 422 });
    await stand.run(["plan", "--all", "--discard", "--rule", "outage", "--out", stand.file]);
    const { out: shown } = await stand.run(["plan", "--show", stand.file]);
    expect(shown).toMatch(/to discard.*apply +60 discard/s);
    const was = stand.emulator.dlq.find(changed);
    stand.emulator.dlq.remove([changed, gone]);
    stand.emulator.dlq.seed([{ ...was, responseStatus: 500 }]);
    const { exitCode, out, err } = await stand.apply();
    expect(out).toContain(`orders: 58 of 60 discarded; archived in ${stand.dir}\n`);
    expect(err).toMatch(/2 skipped: 1 gone, 1 changed/);
    expect(err).toContain("discard → changed");
    expect(exitCode).toBe(0);
    expect(stand.emulator.dlq.size).toBe(11);
    expect((await dropsOf(stand))[0]?.why).toMatch(/^plan [0-9a-f-]{36}: the receiver/);
  });

  it("is refused without an archive, and without a reason, and does nothing in a paused drain", async () => {
    const bare = await createPlanStand(redis.url());
    bare.seed(1);
    for (const more of [[], ["--keep"], ["--out", bare.file]]) {
      const told = await bare.run(["plan", "--all", "--discard", ...more]);
      expectTold(told, 3, "archived first, and the document has no archive");
    }
    const stand = await setUp();
    stand.seed(3);
    const id = await keep(stand);
    const terminal = { terminal: true, confirm: true };
    const silent = await stand.run(["apply", id, "--by", "ada"], terminal);
    expectTold(silent, 2, "a discard needs a reason");
    await stand.run(["pause", "--all", "--reason", "look first"]);
    const { exitCode, err } = await stand.run(["apply", id, ...by], terminal);
    expect(err).toContain("paused by");
    expect(exitCode).toBe(3);
    expect(stand.emulator.dlq.size).toBe(3);
    expect(await stand.kept()).toEqual([]);
    await stand.run(["resume", "--all", "--reason", "looked"]);
    const resumed = await stand.run(["apply", id, ...by], terminal);
    expect(resumed.questions.join("")).toContain(`3 to discard: archived in ${stand.dir}, then deleted`);
    expect(resumed.exitCode).toBe(0);
  });

  it("leaves what the archive does not take, parked ones too, and takes it with the next apply", async () => {
    const { path } = createFolder({ taken: "" });
    const stand = await setUp(heldDocument, `${path}/taken`);
    const ids = stand.seed(3, { responseStatus: 422 });
    await stand.run(["drain", "orders", "--yes"]);
    const id = await keep(stand);
    let interrupt: (() => void) | undefined;
    const stopped = await stand.run(["apply", id, ...by], {
      onListening: (listening) => (interrupt = listening),
      onErr: (text) => text.includes("waits for archive-missing 3") && interrupt?.(),
    });
    expect(stopped.err).toContain("3 left (archive-missing 3)");
    expect(stopped.exitCode).toBe(3);
    expect(stand.emulator.dlq.size).toBe(3);
    rmSync(`${path}/taken`);
    const { exitCode, out } = await stand.run(["apply", id, ...by]);
    expect(out).toContain("orders: 3 discarded; archived in");
    expect(exitCode).toBe(0);
    expect(await stand.kept()).toEqual([...ids].toSorted());
  });
});
