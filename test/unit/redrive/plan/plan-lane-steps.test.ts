import { describe, expect, it } from "vitest";
import { foreseeSteps, type LaneStand } from "../../../../src/redrive/plan/lane-steps.ts";
import { config, driverOf, memoryLanes } from "../../../support/lane-stands.ts";

type Driver = ReturnType<typeof driverOf>;

/** What a lane of which nothing comes back really lets go of so many, watch by watch. */
async function letGo(count: number, driver: Driver, advance: (ms: number) => Promise<void>) {
  const canaries: number[] = [];
  let left = count;
  while (left > 0) {
    const answer = await driver.ask(left);
    if (answer.state === "open") return { canaries, plain: left };
    if (answer.canaries > 0) {
      canaries.push(answer.canaries);
      left -= answer.canaries;
      await driver.sent(answer.step, answer.canaries);
    }
    await advance(answer.state === "halted" && answer.canaries === 0 ? 300_000 : config.watchMs);
    await driver.looked(answer.step);
  }
  return { canaries, plain: 0 };
}

const fresh: LaneStand = { state: "canary", size: 5, sent: 0, isShaky: false, hasRoom: true };

/** How a lane may stand when a plan is made. */
const beginnings: readonly [
  string,
  (driver: Driver, advance: (ms: number) => Promise<void>) => Promise<void>,
][] = [
  ["that nobody knows", () => Promise.resolve()],
  [
    "of which some of its first step are out",
    async (driver) => {
      const { step } = await driver.ask(2);
      await driver.sent(step, 2);
    },
  ],
  ["whose first step is watched", async (driver) => void (await driver.step(5))],
  ["that ramps", async (driver) => void (await driver.survive(5))],
  [
    "whose second step is watched and was never full",
    async (driver, advance) => {
      await driver.survive(5);
      await driver.step(20);
      await advance(config.watchMs / 2);
    },
  ],
  ["that is open", (driver) => driver.open()],
  [
    "that is halted again",
    async (driver, advance) => {
      await driver.open();
      await driver.failOpen();
      await advance(1_000);
    },
  ],
  ["that is halted", async (driver) => void (await driver.halt())],
  [
    "that is halted and whose probe is out",
    async (driver, advance) => {
      await driver.halt();
      await advance(300_000);
      await driver.step(1);
    },
  ],
];

describe("the steps that a plan foresees", () => {
  it.each(
    beginnings.flatMap(([name, begin]) =>
      [1, 5, 6, 54, 57, 300, 1_000].map((count) => ({ name, begin, count })),
    ),
  )("for $count of a lane $name are those that it lets go", async ({ begin, count }) => {
    const stand = await memoryLanes();
    const driver = driverOf(stand);
    await begin(driver, stand.advance);
    const { state, until } = await driver.ask(0);
    const { lanes } = await stand.book.views(1);
    const known = lanes[0];
    const now: LaneStand =
      known === undefined
        ? fresh
        : {
            state,
            size: known.size,
            sent: known.sent,
            isShaky: known.isShaky,
            hasRoom: (until ?? 0) <= stand.now(),
          };
    if (!now.hasRoom) {
      // What is out is silent, too.
      await stand.advance(config.watchMs);
      await driver.looked(known!.step);
    }
    const { canaries, plain, watches } = foreseeSteps(count, now, config);
    expect({ canaries, plain }).toEqual(await letGo(count, driver, stand.advance));
    expect(watches).toBe(canaries.length + (plain > 0 ? 1 : 0) - 1);
  });
});
