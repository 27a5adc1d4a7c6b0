/** A backlog whose receivers are back, with all that is built in: how long until all of it is delivered. */
import { builtInAuto } from "../../../src/job/contracts/auto-rate.ts";
import { atMost, shown, timed, type Figure } from "../../rig/figures.ts";
import { deliveredOnce, mostWithin } from "../../rig/outcome.ts";
import { idsOf } from "../../rig/letters.ts";
import { startStage } from "../stage.ts";
import { createTimeScale, minuteMs, secondMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

/** So many messages a second are what this machine delivers beside the rest, whatever the scale of others. */
const mostHere = 600;
const held = { messages: 50_000, withinMs: 20 * minuteMs };
/** The ramp is 9,000 messages. What is beyond goes at the highest rate, of which this has a whole minute. */
const smallCount = 16_000;

export async function backlog(world: World): Promise<readonly Figure[]> {
  const ofOne = await drain(world, "one host", 1, builtInAuto.toPerSecond);
  // Together they are bound by `publish`.
  return world.isSmall ? ofOne : [...ofOne, ...(await drain(world, "four hosts", 4, 200))];
}

/** `perSecond`: what goes in the end. The small form is a part; the rest is reckoned at its best minute. */
async function drain(
  world: World,
  name: string,
  hosts: number,
  perSecond: number,
): Promise<readonly Figure[]> {
  const scale = createTimeScale(Math.min(world.scale.factor, mostHere / perSecond));
  const count = world.isSmall ? smallCount : world.deadLetters;
  const stage = await startStage(world, {
    name: `backlog-${hosts}`,
    receivers: hosts,
    scale,
    drain: { hasBuiltInLimits: true },
  });
  try {
    const { emulator, receivers } = stage;
    const batches = receivers.map(({ url }, index) => ({
      name: `host-${index}`,
      count: Math.floor(count / hosts),
      url,
    }));
    for (const batch of batches) await stage.seed(batch);
    const startedAt = Date.now();
    await stage.startDaemons();
    const isDrained = await isSoon(
      async () => {
        const { pending, dlqSize } = await emulator.state();
        return pending === 0 && dlqSize === 0;
      },
      scale.here(4 * held.withinMs),
    );
    const arrivals = (await Promise.all(receivers.map((one) => one.arrivals()))).flat();
    const times = arrivals.filter(({ status }) => status === 200).map(({ at }) => at);
    const tookMs = maxOf(times) - startedAt;
    const entries = times.toSorted((one, other) => one - other).map((at) => ({ at }));
    const inBestMinute = mostWithin(entries, scale.here(minuteMs));
    // A minute may begin with a burst of one second's worth.
    const bestPerSecond = Math.min((inBestMinute * secondMs) / minuteMs, perSecond);
    const restMs = scale.here(((held.messages - count) * secondMs) / bestPerSecond);
    const minutes = ((tookMs + restMs) * scale.factor) / minuteMs;
    const ofAll = world.isSmall ? `${held.messages} (${count}, the rest at that rate)` : `${count}`;
    return [
      shown(`${name}: ${count} delivered, at scale ${scale.factor}, after`, scale.toRealText(tookMs)),
      shown(`${name}: best minute, per second`, bestPerSecond.toFixed(1)),
      timed(atMost(`${name}: minutes until ${ofAll} are delivered`, minutes, held.withinMs / minuteMs)),
      { what: "the backlog is drained", seen: isDrained ? "yes" : "no", limit: "yes", holds: isDrained },
      ...(await deliveredOnce(stage, batches.flatMap(idsOf))),
    ];
  } finally {
    await stage.close();
  }
}

const maxOf = (numbers: readonly number[]): number => numbers.reduce((most, one) => Math.max(most, one), 0);
