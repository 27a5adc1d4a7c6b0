/**
 * A drain with the shipped limits beside live traffic that takes all a receiver has. Not scaled: rates are
 * what it is about.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startChild } from "../../rig/child.ts";
import { atLeast, shareAtLeast, shown, timed, type Figure } from "../../rig/figures.ts";
import { countBetween } from "../../rig/outcome.ts";
import { startStage } from "../stage.ts";
import { createTimeScale, minuteMs, secondMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

const capacityPerSecond = 120;
const offeredPerSecond = 130;
/** A producer's connections. With 100 waiting at 120/s an answer takes 0.8 s. */
const mostUnderWay = 100;
const perHostPerSecond = 10;

export async function live(world: World): Promise<readonly Figure[]> {
  const windowMs = (world.isSmall ? 15 : 60) * secondMs;
  const real = createTimeScale(1);
  // Watched for 2 s, so that the lane is open soon; limits are those of a host of which nothing is known.
  const watchScale = createTimeScale(30);
  const stage = await startStage(world, {
    name: "live",
    scale: watchScale,
    drain: {
      publishPerSecond: 20 / watchScale.factor,
      perHostPerSecond: perHostPerSecond / watchScale.factor,
      // A pass that lists everything every minute would be 30 times what is shipped.
      fullMs: 30 * 30 * minuteMs,
      censusMs: 15 * 30 * minuteMs,
    },
  });
  try {
    const { receiver } = stage;
    await stage.seed({ name: "letter", count: world.isSmall ? 5_000 : 20_000, url: receiver.url });
    await receiver.behave({ perSecond: capacityPerSecond });
    const load = startChild({
      args: [
        join(import.meta.dirname, "../live-load-main.js"),
        receiver.url,
        String(offeredPerSecond),
        String(mostUnderWay),
      ],
      guard: world.guard,
      logFile: join(world.dir, "live", "load.log"),
    });
    try {
      const settleMs = 3 * secondMs;
      const measure = async (): Promise<{ readonly live: number; readonly drained: number }> => {
        await delay(settleMs);
        const from = Date.now();
        await delay(windowMs);
        const to = Date.now();
        const arrivals = (await receiver.arrivals()).filter(({ status }) => status === 200);
        const perSecond = (isLive: boolean): number =>
          (countBetween(
            arrivals.filter(({ sentAs }) => (sentAs === "first") === isLive),
            from,
            to,
          ) *
            secondMs) /
          (to - from);
        return { live: perSecond(true), drained: perSecond(false) };
      };
      const before = await measure();
      await stage.startDaemons();
      const isOpen = await isSoon(
        async () => (await receiver.arrivals()).some(({ sentAs }) => sentAs === "plain"),
        real.here(minuteMs),
      );
      const beside = await measure();
      await stage.stopDaemons();
      const after = await measure();
      const alone = (before.live + after.live) / 2;
      return [
        shown("the lane is open", isOpen ? "yes" : "no"),
        shown("receiver", `${capacityPerSecond}/s, live traffic offers ${offeredPerSecond}/s`),
        shown("live alone, before and after", `${before.live.toFixed(1)}/s, ${after.live.toFixed(1)}/s`),
        shown("live beside the drain", `${beside.live.toFixed(1)}/s`),
        timed(shareAtLeast("live beside the drain, of alone", beside.live / alone, 0.9)),
        // Without it the drain would only have stood aside.
        timed(atLeast("drained meanwhile, per second", beside.drained, perHostPerSecond * 0.8)),
      ];
    } finally {
      await load.kill();
    }
  } finally {
    await stage.close();
  }
}
