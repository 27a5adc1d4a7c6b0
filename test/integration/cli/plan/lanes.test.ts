import { describe, expect, it } from "vitest";
import type { LaneWaits } from "../../../../src/redrive/plan/lane-waits.ts";
import { createPlanStand, outageDocument, type PlanStand } from "../../../support/plan-stand.ts";
import { createReceiver } from "../../../support/receiver.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const document = outageDocument.replace(
  "lane: none",
  "lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 1h }",
);

async function planned(stand: PlanStand, ...args: readonly string[]) {
  const { out, exitCode, err } = await stand.run(["plan", "orders", "--json", ...args]);
  expect(exitCode, err).toBe(0);
  const [drain] = (JSON.parse(out) as { drains: readonly [{ lanes: LaneWaits; estimate: object }] }).drains;
  return drain;
}

/** By type of the key. */
const readers = {
  string: ["GET"],
  hash: ["HGETALL"],
  zset: ["ZRANGE", "0", "-1", "WITHSCORES"],
} as const;

/** Every key of lanes with what is in it. */
async function lanesIn({ env }: PlanStand): Promise<ReadonlyMap<string, unknown>> {
  const connection = redis.fresh();
  const keys = (await connection.command(
    "KEYS",
    `${env["REDRIVER_REDIS_KEY_PREFIX"]}:*:lanes:*`,
  )) as string[];
  const kept = new Map<string, unknown>();
  for (const key of keys.toSorted()) {
    const read = readers[(await connection.command("TYPE", key)) as keyof typeof readers];
    kept.set(key, await connection.command(read[0], key, ...read.slice(1)));
  }
  return kept;
}

describe("redriver plan, of a drain with lanes", () => {
  it("says how many wait for a new destination, and leaves no trace of having asked", async () => {
    const stand = await createPlanStand(redis.url(), { document });
    stand.seed(60);
    const { lanes, estimate } = await planned(stand);
    expect(lanes).toEqual({
      watchMs: 2_000,
      lanes: [
        {
          origin: new URL(stand.receiver.url).origin,
          due: 60,
          kept: 0,
          state: "canary",
          sinceMs: null,
          why: null,
          sent: 0,
          nextInMs: 0,
        },
      ],
      more: { lanes: 0, due: 0 },
    });
    expect(estimate).toMatchObject({ atLeast: true, boundBy: { kind: "calls" } });
    expect((await lanesIn(stand)).size).toBe(0);
  });

  it("shows ten destinations and sums the rest up, those of a filter alone", async () => {
    const stand = await createPlanStand(redis.url(), { document });
    for (let host = 0; host < 13; host += 1) {
      stand.seed(host + 1, { url: `https://h${host}.example.com/hook` });
    }
    const { lanes } = await planned(stand);
    expect(lanes.lanes.map(({ due }) => due)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
    expect(lanes.more).toEqual({ lanes: 3, due: 6 });
    const filtered = await planned(stand, "--host", "h3.example.com");
    expect(filtered.lanes).toMatchObject({ lanes: [{ due: 4 }], more: { lanes: 0, due: 0 } });
  });

  it("says of a halted one why and when it is probed; the lane stays as it is", async () => {
    const stand = await createPlanStand(redis.url(), { document });
    stand.receiver.answer = () => 503;
    const healthy = await createReceiver();
    stand.seed(30);
    await stand.plan();
    await stand.apply();
    const before = await lanesIn(stand);
    expect(before.size).toBeGreaterThan(0);
    stand.seed(3, { url: `${healthy.url}/orders` });
    const { lanes } = await planned(stand);
    await healthy.close();
    expect(lanes.lanes).toMatchObject([
      {
        state: "halted",
        why: expect.stringMatching(/of 5 came back, 503$/),
        sent: 0,
      },
      { due: 3, state: "canary", sinceMs: null, nextInMs: 0 },
    ]);
    expect(lanes.lanes[0]?.nextInMs).toBeGreaterThan(3_500_000);
    const text = (await stand.run(["plan", "orders"])).out.replaceAll(/\s+/g, " ");
    expect(text).toMatch(
      /\d+ wait for lane http:\S+ halted for \S+ \d of 5 came back, 503, next probe in 59m/,
    );
    expect(text).toMatch(/takes at least 59m\S* \(lane http/);
    expect(await lanesIn(stand)).toEqual(before);
  }, 80_000);
});
