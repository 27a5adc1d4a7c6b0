/** A backlog whose receiver is back, with all that is built in: how long until all of it is delivered. */
import { builtInAuto } from "../../../src/ports/auto-rate.ts";
import { atMost, shown, type Figure } from "../../rig/figures.ts";
import { deliveredOnce } from "../../rig/outcome.ts";
import { idsOf } from "../../rig/letters.ts";
import { startStage } from "../stage.ts";
import { createTimeScale, minuteMs, secondMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

/** At its highest rate, 100/s, so many times that is what this machine delivers in a second beside the rest. */
const mostFactor = 8;
const held = { messages: 50_000, withinMs: 20 * minuteMs };
/** The ramp is 9,000 messages. What is beyond goes at the highest rate, which the small form shows too. */
const smallCount = 12_000;

/**
 * Four hosts share `publish`, so with one host alone its own rate is what counts. The small form is a part of
 * the backlog; the rest of it is reckoned at the rate seen at the end.
 */
export async function backlog(world: World): Promise<readonly Figure[]> {
  const scale = createTimeScale(Math.min(world.scale.factor, mostFactor));
  const count = world.isSmall ? smallCount : world.deadLetters;
  const stage = await startStage(world, { name: "backlog", scale, drain: { hasBuiltInLimits: true } });
  try {
    const { emulator, receiver } = stage;
    const batch = { name: "letter", count, url: receiver.url };
    await stage.seed(batch);
    const startedAt = Date.now();
    await stage.startDaemons();
    const isDrained = await isSoon(
      async () => {
        const { pending, dlqSize } = await emulator.state();
        return pending === 0 && dlqSize === 0;
      },
      scale.here(4 * held.withinMs * Math.max(1, count / held.messages)),
    );
    const delivered = (await receiver.arrivals()).filter(({ status }) => status === 200);
    const times = delivered.map(({ at }) => at).toSorted((one, other) => one - other);
    const tookMs = (times.at(-1) ?? Number.NaN) - startedAt;
    const tail = times.slice(-Math.floor(times.length / 10));
    const tailPerSecond = ((tail.length - 1) * secondMs) / ((tail.at(-1) ?? 0) - (tail[0] ?? 0));
    // A short tail may be a burst of one second's worth.
    const restPerSecond = Math.min(tailPerSecond, builtInAuto.toPerSecond * scale.factor);
    const restMs = (Math.max(0, held.messages - count) * secondMs) / restPerSecond;
    const allMs = (tookMs + restMs) * scale.factor;
    const ofAll = world.isSmall ? `${held.messages} (${count} seen, the rest at the last rate)` : `${count}`;
    return [
      shown("scale", String(scale.factor)),
      shown(`${count} delivered after`, scale.toRealText(tookMs)),
      shown("rate of the last tenth, per second", (tailPerSecond / scale.factor).toFixed(1)),
      ...(count > held.messages
        ? []
        : [atMost(`minutes until ${ofAll} are delivered`, allMs / minuteMs, held.withinMs / minuteMs)]),
      { what: "the backlog is drained", seen: isDrained ? "yes" : "no", limit: "yes", holds: isDrained },
      ...(await deliveredOnce(stage, idsOf(batch))),
    ];
  } finally {
    await stage.close();
  }
}
