import { expect, it } from "vitest";
import { createRig, manyWindows, minuteMs, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** It is parked as it is rebuilt, and is of the same kind of failure as all others. */
const unjoinable = { header: { Cookie: ["a=1", "b=2"] } };

const factsOf = ({ drain: { source, config } }: Rig) => source.passes.facts(config.name);

/** A pass over what is new, and over the minutes of these once more. */
async function newPass(rig: Rig, ids: readonly string[]): Promise<void> {
  const { source, config } = rig.drain;
  const minutes = new Set(ids.map((id) => Math.floor(Number.parseInt(id, 10) / minuteMs) * minuteMs));
  await source.passes.listAgain(config.name, [...minutes]);
  await rig.pass();
  expect(rig.eventsOf("pass:opened").at(-1)?.kind).toBe("new");
}

it("passes over what is new count nothing a second time that a plan would park", async () => {
  const rig = await createRig({ redisUrl: redis.url(), mode: "plan" });
  const known = [...rig.seed(20), ...rig.seed(1, unjoinable), ...rig.seed(2, { header: { "X-A": [null] } })];
  await rig.pass();
  const counted = { due: 20, held: 0, parked: 3 };
  expect(await factsOf(rig)).toMatchObject(counted);
  for (let again = 0; again < 4; again += 1) {
    await newPass(rig, known);
    expect(await factsOf(rig)).toMatchObject(counted);
  }

  // One more has arrived, and counts once.
  const arrived = rig.seed(1, unjoinable, 0);
  rig.advance(10_000);
  for (let again = 0; again < 3; again += 1) {
    await newPass(rig, [...known, ...arrived]);
    expect(await factsOf(rig)).toMatchObject({ due: 20, held: 0, parked: 4 });
  }
  await rig.fullPass();
  expect(await factsOf(rig)).toMatchObject({ due: 20, held: 0, parked: 4 });
});

it("a window that is cut counts once what a plan would park", async () => {
  const rig = await createRig({ redisUrl: redis.url(), mode: "plan", ...manyWindows });
  rig.seed(1);
  await rig.pass();
  rig.seed(300, unjoinable, 0);
  rig.advance(10_000);
  await newPass(rig, []);
  expect(await factsOf(rig)).toMatchObject({ due: 1, held: 0, parked: 300 });
});
