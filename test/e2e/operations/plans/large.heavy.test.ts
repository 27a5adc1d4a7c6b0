import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { planLimits } from "../../../../src/job/contracts/plans.ts";
import { makeHere, planOf, startDesk } from "../../../support/desk-stand.ts";
import { createPlanStand, outageDocument } from "../../../support/plan-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const some = 20_000;

it("a plan of the most records takes a fifth of what all plans may, by what 20,000 take; one more is refused with the commands that have no limit", async () => {
  const stand = await createPlanStand(redis.url());
  stand.seed(planLimits.records + 1);
  const here = await startDesk({ env: stand.env, document: outageDocument });
  const id = await makeHere(here, { limit: some });
  expect((await planOf(here, id)).made?.records).toBe(some);
  const { command } = here.live.current().redis;
  const prefix = here.live.current().redis.keyPrefix;
  const key = `${prefix}:v1:plans:{plans}:plan:${id}`;
  const bytes = Number(await command("HGET", key, "bytes"));
  expect(bytes / some).toBeLessThan(70);
  expect((bytes / some) * planLimits.records).toBeLessThan(planLimits.bytes / 4.5);

  const larger = await here.desk.make({ drains: ["orders" as DrainName], filter: {}, by: "ada" });
  await here.desk.settled();
  const { state, why, made } = await planOf(here, larger);
  expect({ state, made }).toEqual({ state: "failed", made: null });
  expect(why).toBe(
    "plan-refused: the plan has more than 100000 records, the most of a replica: narrow it, or make and apply it by commands (redriver plan --keep, redriver apply), which have no such limit",
  );
  expect(await command("HGET", key.replace(id, larger), "bytes")).toBe("0");
}, 420_000);
