import { expect, it } from "vitest";
import { PlanOfDrain } from "../../../../../src/people/console/parts/plan-of-drain.tsx";
import type { PlanReport } from "../../../../../src/people/operations/plans/freeze-plan.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../../support/plan-stand.ts";
import { createReceiver } from "../../../../support/receiver.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const document = outageDocument.replace(
  "lane: none",
  "lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 1h }",
);

async function planned(stand: PlanStand, ...args: readonly string[]) {
  const { out, exitCode, err } = await stand.run(["plan", "orders", "--json", ...args]);
  expect(exitCode, err).toBe(0);
  return (JSON.parse(out) as { drains: readonly [PlanReport["drains"][number]] }).drains[0];
}

/** Every key of lanes with what is in it. */
async function lanesIn({ env }: PlanStand): Promise<ReadonlyMap<string, unknown>> {
  const connection = redis.fresh();
  const keys = (await connection.command(
    "KEYS",
    `${env["REDRIVER_REDIS_KEY_PREFIX"]}:*:lanes:*`,
  )) as string[];
  const kept = new Map<string, unknown>();
  for (const key of keys.toSorted()) kept.set(key, await connection.command("DUMP", key));
  return kept;
}

it("a plan says of a halted lane why and when it is probed; the lane stays as it is", async () => {
  const stand = await createPlanStand(redis.url(), { document });
  stand.receiver.answer = () => 503;
  const healthy = await createReceiver();
  stand.seed(30);
  await stand.plan();
  await stand.apply();
  const before = await lanesIn(stand);
  expect(before.size).toBeGreaterThan(0);
  stand.seed(3, { url: `${healthy.url}/orders` });
  const drain = await planned(stand);
  await healthy.close();
  expect(drain.lanes?.lanes).toMatchObject([
    {
      state: "halted",
      why: expect.stringMatching(/of 5 failed again, 503$/),
      sent: 0,
    },
    { due: 3, state: "canary", sinceMs: null, nextInMs: 0 },
  ]);
  expect(drain.lanes?.lanes[0]?.nextInMs).toBeGreaterThan(3_500_000);
  const text = (await stand.run(["plan", "orders"])).out.replaceAll(/\s+/g, " ");
  expect(text).toMatch(/\S+ +\d+ +halted for \S+ +next probe in 59m\S* +\d of 5 failed again, 503/);
  expect(text).toMatch(/now \d+ republish \(\d+ wait for halted lanes\)/);
  expect(text).toMatch(/due \d+ now \(or held by a halt, see lanes\)/);
  const page = String(await PlanOfDrain({ drain, createdAt: Date.now() })).replaceAll(/<[^>]+>/g, " ");
  expect(page).toMatch(/When it was made, at .* was halted, with \d+ waiting for it\./);
  expect(page).toMatch(
    /destination +due now +held by a halt +due later .*?:\d+ +0 +\d+ +0 .*?:\d+ +3 +0 +0 /,
  );
  expect(page).toMatch(/rule +records +due now, or held by a halt/);
  expect(page).not.toContain("next probe");
  expect(await lanesIn(stand)).toEqual(before);
}, 80_000);

it("a plan says what the lane of another drain knows of its destination, also without lanes of its own", async () => {
  const stand = await createPlanStand(redis.url(), {
    document: `${outageDocument.replace("lane: none", "lane: { canary: 5, watch: 10m, haltAt: 20%, probeEvery: 15m }")}  rest:
    mode: plan
    select: { topicName: rest }
    minAge: 1s
    lane: none
    rules: [{ name: all, when: any, then: republish }]
`,
  });
  stand.receiver.answer = () => 503;
  stand.seed(5);
  stand.seed(3, { topicName: "rest" });
  const calm = await stand.run(["plan", "rest", "--json"]);
  expect(JSON.parse(calm.out)).toMatchObject({ drains: [{ otherLanes: [] }] });
  await stand.run(["plan", "orders", "--out", stand.file]);
  expect((await stand.apply()).exitCode).toBe(1);

  const { host, origin } = new URL(stand.receiver.url);
  const { out } = await stand.run(["plan", "rest"]);
  expect(out.replaceAll(/\s+/g, " ")).toMatch(
    new RegExp(
      `the lane of drain orders for ${host} is halted since \\d\\d:\\d\\d UTC: \\d of 5 failed again, 503`,
    ),
  );
  const json = await stand.run(["plan", "rest", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({
    drains: [{ lanes: null, otherLanes: [{ drain: "orders", origin, state: "halted" }] }],
  });
});
