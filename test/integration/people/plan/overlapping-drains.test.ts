import { describe, expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { PlanOfDrain } from "../../../../src/people/console/parts/plan-of-drain.tsx";
import { createFolder } from "../../../support/command.ts";
import { makeHere, planOf, startDesk, type DeskReplica } from "../../../support/desk-stand.ts";
import { createPlanStand, unlimitedHead, type PlanStand } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const order = { by: "ada", why: "INC-7" };
const names = ["late", "all", "money"] as DrainName[];

/** `late` holds what the others would send; `all` and `money` select the same. */
const document = `${unlimitedHead}drains:
  late: { mode: plan, minAge: 1d, rules: [{ name: wait, when: { responseStatus: 503 }, then: republish }] }
  all:
    mode: plan
    minAge: 1s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: hold }
  money:
    mode: plan
    minAge: 1s
    select: { topicName: money }
    rules: [{ name: paid, when: { responseStatus: { in: [503, 422] } }, then: republish }]
`;

async function setUp(): Promise<PlanStand & { readonly one: DeskReplica; readonly dir: string }> {
  const { path: dir } = createFolder();
  const whole = `${document}archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`;
  const stand = await createPlanStand(redis.url(), { document: whole });
  stand.seed(30, { topicName: "orders" });
  stand.seed(50, { topicName: "money" });
  stand.seed(7, { topicName: "money", responseStatus: 422 });
  stand.seed(2, { topicName: "money", url: "no url" });
  stand.seed(3, { topicName: "orders", responseStatus: 404 });
  return { ...stand, one: await startDesk({ env: stand.env, document: whole }), dir };
}

describe("a plan over drains that select the same letters", () => {
  it("has each letter once, in the part of the first drain that acts on it, and publishes it once", async () => {
    const { one, emulator, receiver, run } = await setUp();
    const id = await makeHere(one, {}, names);
    const { plan, report } = await one.desk.show(id);
    expect(plan.made).toMatchObject({ records: 92, acts: 89 });
    expect(report?.drains).toMatchObject([
      { drain: "late", listed: 92, planned: 3, elsewhere: 89, decisions: { republish: 0, hold: 3, park: 0 } },
      {
        drain: "all",
        listed: 92,
        planned: 82,
        elsewhere: 10,
        decisions: { republish: 80, park: 2 },
        failures: { top: [{ count: 80 }, { count: 2 }] },
        estimate: { publishes: 80 },
      },
      { drain: "money", listed: 59, planned: 7, elsewhere: 52, decisions: { republish: 7 } },
    ]);
    const { out } = await run(["plan", "--all"]);
    expect(out).toMatch(/^all \(mode plan\) .*: 82 of 92 records\n/m);
    expect(out).toMatch(/stays +52 in another drain's part/);
    const page = String(await PlanOfDrain({ drain: report!.drains[1]!, createdAt: 0 }));
    expect(page).toMatch(/10<.*in the part of another drain/);
    expect(page).not.toContain("left out by the plan");

    await one.desk.apply(id, order);
    await one.desk.settled();
    expect(
      (await planOf(one, id)).apply?.drains.map(({ planned, before, done }) => [planned, before, done]),
    ).toEqual([
      [0, 0, 0],
      [82, 0, 82],
      [7, 0, 7],
    ]);
    await emulator.idle();
    expect(receiver.deliveries).toHaveLength(87);
  });

  it("discards each letter once, for the drain that comes first", async () => {
    const { one, emulator } = await setUp();
    const id = await makeHere(one, { discard: true }, names);
    expect((await one.desk.show(id)).plan.made).toMatchObject({
      records: 92,
      acts: 92,
      decisions: { drop: 92 },
    });
    await one.desk.apply(id, order);
    await one.desk.settled();
    const { apply } = await planOf(one, id);
    expect(apply?.drains.map(({ planned, verdict }) => [planned, verdict?.discarded])).toEqual([
      [92, 92],
      [0, 0],
      [0, 0],
    ]);
    expect(emulator.dlq.size).toBe(0);
  });
});
