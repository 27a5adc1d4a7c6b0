import { readFileSync } from "node:fs";
import type { PlanId } from "../../../../../src/job/contracts/ids.ts";
import { describe, expect, it } from "vitest";
import type { PlanDesk } from "../../../../../src/people/operations/plans/plan-desk.ts";
import { makeHere, planOf, startDesk } from "../../../../support/desk-stand.ts";
import { createPlanStand, outageDocument } from "../../../../support/plan-stand.ts";
import { expectTold } from "../../../../support/cli.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

/** A replica with a console beside commands. */
async function setUp() {
  const stand = await createPlanStand(redis.url(), {
    document: outageDocument,
    env: { REDRIVER_PUBLISH_MAX_ITEMS: "1" },
  });
  const replica = await startDesk({
    env: stand.env,
    document: outageDocument,
    settings: { "publish.maxItems": 1 },
    version: JSON.parse(readFileSync("package.json", "utf8")).version as string,
  });
  const json = async (...argv: readonly string[]): Promise<unknown> =>
    JSON.parse((await stand.run([...argv, "--json"])).out);
  return { ...stand, replica, json };
}

async function readAll(file: ReturnType<PlanDesk["file"]>): Promise<string> {
  let text = "";
  for await (const part of (await file) ?? []) text += part.toString("utf8");
  return text;
}

describe("redriver plans", () => {
  it("lists and shows what a replica has made, by the beginning of its id", async () => {
    const { seed, run, json, replica } = await setUp();
    expect((await run(["plans"])).out).toBe(
      "plan  made  by  drains  state  records  acts  done  done without it\n",
    );
    seed(3);
    const id = await makeHere(replica, { rules: ["outage"] });
    const short = id.slice(0, 8);
    const { out } = await run(["plans"]);
    expect(out).toMatch(new RegExp(`^${short}  .* ago  ada  orders  ready +3 +3 +- +-$`, "m"));
    expect(await json("plans", "list")).toMatchObject({ v: 1, id, state: "ready", made: { records: 3 } });
    expect(await json("plans", "show", short)).toMatchObject({
      v: 1,
      plan: { id },
      report: { complete: true },
    });
    const shown = await run(["plans", "show", id]);
    expect(shown.out).toContain(`Plan ${id}: ready\n`);
    expect(shown.out).toContain("  records  3, 3 to act on\n");
    expect(shown.out).toContain("  only      rule outage\n");
    expect(shown.out).toContain("  now      3 republish\n");
    expectTold(await run(["plans", "show", "nothing"]), 2, 'no plan "nothing" is there');
  });

  it("has what plan --keep has made, which replicas show and apply", async () => {
    const { seed, run, json, replica, emulator, receiver } = await setUp();
    seed(3);
    const { out, err, exitCode } = await run(["plan", "orders", "--rule", "outage", "--keep"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("  now      3 republish\n");
    const [, id = ""] = /kept for a day as plan (\S+); redriver apply [0-9a-f]{8} acts/.exec(err) ?? [];
    expect(await planOf(replica, id as PlanId)).toMatchObject({
      state: "ready",
      filter: { rules: ["outage"] },
      made: { records: 3, acts: 3 },
    });
    await replica.desk.apply(id as PlanId, { by: "bob", why: "INC-7" });
    await replica.desk.settled();
    await emulator.idle();
    expect(receiver.deliveries).toHaveLength(3);
    // Each plan is kept; one with content is not.
    const made = (await json("plan", "--all", "--host", "x")) as { readonly id: string };
    expect(await planOf(replica, made.id as PlanId)).toMatchObject({ state: "ready", filter: { host: "x" } });
    expect(await json("plan", "--all", "--show-content")).toMatchObject({ id: null });
    expectTold(await run(["plan", "--all", "--keep", "--show-content"]), 2, "--keep is of a masked plan");
  });

  it("writes the file of one, which apply reads back into the store, also with content", async () => {
    const { seed, run, file, apply, replica, receiver, emulator } = await setUp();
    seed(3);
    const id = await makeHere(replica);
    expect((await run(["plans", "show", id, "--out", file])).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(await readAll(replica.desk.file(id)));
    // It is there still, so the file is that plan.
    expect((await apply("--messages", "3")).exitCode).toBe(0);
    expect(await replica.desk.list()).toMatchObject([{ id, state: "applied", apply: { by: "ada" } }]);
    await replica.desk.remove(id, { by: "eve" });
    expect((await apply()).exitCode).toBe(0);
    const [again] = await replica.desk.list();
    expect(again).toMatchObject({
      by: "ada",
      state: "applied",
      made: { records: 3, decisions: { republish: 3 } },
    });
    expect(await readAll(replica.desk.file(again!.id))).toBe(readFileSync(file, "utf8"));
    await emulator.idle();
    expect(receiver.deliveries).toHaveLength(3);

    seed(2, { body: "of-a-body" });
    await run(["plan", "--all", "--show-content", "--out", file]);
    expect(readFileSync(file, "utf8")).toContain("of-a-body");
    expect((await apply()).exitCode).toBe(0);
    expect((await apply()).exitCode).toBe(0);
    const all = await replica.desk.list();
    expect(all).toHaveLength(2);
    expect(await readAll(replica.desk.file(all[0]!.id))).not.toContain("of-a-body");
    await emulator.idle();
    expect(receiver.deliveries).toHaveLength(5);
  });

  it("is applied by the beginning of its id, and the replicas see how far it is", async () => {
    const { seed, run, replica, receiver, emulator } = await setUp();
    seed(200);
    const id = await makeHere(replica);
    emulator.faults.add({ kind: "latency", operation: "batch", ms: 60 });
    const own = run(["apply", id.slice(0, 8), "--reason", "INC-7", "--by", "bob"]);
    await expect.poll(async () => (await planOf(replica, id)).state).toBe("applying");
    await expect(replica.desk.apply(id, { by: "ada", why: "me too" })).rejects.toThrow(
      /bob applies plan [\da-f]{8} of drain orders already/,
    );
    await replica.desk.stop(id, { by: "eve", why: "too early" });
    const stopped = await own;
    expect(stopped.exitCode).toBe(3);
    const { state, apply } = await planOf(replica, id);
    expect({ state, apply }).toMatchObject({
      state: "interrupted",
      apply: { by: "bob", why: "INC-7", drains: [{ drain: "orders", phase: "ended", planned: 200 }] },
    });
    expect(apply?.drains[0]?.left).toBeGreaterThan(0);
    emulator.faults.clear();
    const rest = await run(["apply", id, "--reason", "INC-7: the rest", "--by", "bob"]);
    expect(rest.exitCode).toBe(0);
    expect((await planOf(replica, id)).state).toBe("applied");
    await emulator.idle();
    expect(receiver.deliveries).toHaveLength(200);
    const unknown = await run(["apply", "deadbeef", "--reason", "INC-7", "--by", "bob"]);
    expectTold(unknown, 2, 'no plan "deadbeef" is there');
  });
});
