import { describe, expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { survey } from "../../../../src/job/page/survey.ts";
import { readQueueFacts } from "../../../../src/people/read/queue-facts.ts";
import { createRig, never, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const signals = { signal: never, stopping: never };
const rules = `minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** `main` takes everything but what `other` selects. */
const open = (other = "money", more: Partial<RigOptions> = {}): Promise<Rig> =>
  createRig({
    redisUrl: redis.url(),
    drain: `    select: { not: { topicName: [money, tips] } }
    ${rules}
  ${other}:
    mode: live
    select: { topicName: [money, tips] }
    ${rules}`,
    ...more,
  });

async function passOf(rig: Rig, name: string) {
  const drain = rig.core.drains.get(name as DrainName);
  if (drain === undefined) throw new Error(`the document has no drain ${name}`);
  const source = { ...drain.source, clock: rig.drain.source.clock };
  return runPassInProcess({ ...drain, source }, rig.core.settings.passes, signals, () => undefined);
}

async function waitingBy(rig: Rig): Promise<Readonly<Record<string, number>>> {
  const { drains } = await readQueueFacts(rig.core);
  return Object.fromEntries(
    drains.map(({ drain, destinations }) => [
      drain,
      destinations.reduce((all, { waiting }) => all + waiting, 0),
    ]),
  );
}

const held = { responseStatus: 404 };

describe("what select.not matches", () => {
  it("is left to the other drain, and counted once, with both passes open at once", async () => {
    const rig = await open();
    rig.seed(120, { topicName: "money" });
    rig.seed(130, { topicName: "tips", ...held });
    rig.seed(140);
    rig.seed(150, held);
    const [main, money] = await Promise.all([rig.pass(), passOf(rig, "money")]);
    await rig.emulator.idle();
    expect(main).toMatchObject({ tally: { listed: 290, republished: 140, held: 150 } });
    expect(money).toMatchObject({ tally: { listed: 250, republished: 120, held: 130 } });
    expect(await waitingBy(rig)).toEqual({ main: 150, money: 130 });
    const { source, documentHash } = rig.drain;
    const drains = [...rig.core.drains.values()].map(({ config }) => config);
    const census = await takeCensus({ source, drains, documentHash, archive: null }, signals);
    expect(census).toMatchObject({ depth: 280, unselected: 0 });
    const sums = Object.values(census?.selected ?? {}).flatMap((ofDrain) => Object.values(ofDrain));
    expect(sums.reduce((all, count) => all + count, 0)).toBe(280);
  });

  it("is not in a plan either, and a renamed drain changes nothing of that", async () => {
    const rig = await open("treasury", { mode: "plan" });
    rig.seed(12, { topicName: "money" });
    rig.seed(5);
    const seen: unknown[] = [];
    for await (const page of survey(rig.drain, { from: 0, to: Date.now() }, signals))
      seen.push(...page.letters);
    expect(seen).toHaveLength(5);
    await rig.pass();
    await passOf(rig, "treasury");
    expect(await waitingBy(rig)).toEqual({ main: 5, treasury: 0 });
  });
});
