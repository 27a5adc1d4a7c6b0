/** Four hosts, all of them alive, and then with the first one hanging: the others have to be as fast. */
import { atMost, shareAtLeast, shown, timed, type Figure } from "../../rig/figures.ts";
import { countBetween, deliveredOnce, outcomeAt, ratePerSecond } from "../../rig/outcome.ts";
import { idsOf } from "../../rig/letters.ts";
import { startStage } from "../stage.ts";
import { minuteMs, secondMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

/** Here, whatever the scale: four hosts at ten scaled up by thirty are more than two cores deliver. */
const perHostHere = 40;
const hosts = 4;

interface Drained {
  /** From the start of the daemon until the slowest of the hosts 2 to 4 had all, ms. */
  readonly tookMs: number;
  /** Messages a second of the slowest of the hosts 2 to 4. */
  readonly rate: number;
  readonly once: readonly Figure[];
  /** Publishes to the first host. */
  readonly toFirst: number;
}

export async function fourHosts(world: World): Promise<readonly Figure[]> {
  const perHost = world.isSmall ? 600 : 2_400;
  const alive = await drain(world, "four-alive", perHost, false);
  const oneDead = await drain(world, "four-one-dead", perHost, true);
  return [
    shown(
      "slowest of three, all four alive",
      `${alive.rate.toFixed(1)}/s of ${perHostHere}/s, ${seconds(alive.tookMs)}`,
    ),
    shown(
      "slowest of three, one hangs",
      `${oneDead.rate.toFixed(1)}/s of ${perHostHere}/s, ${seconds(oneDead.tookMs)}`,
    ),
    timed(shareAtLeast("their rate beside a dead one", oneDead.rate / alive.rate, 0.9)),
    timed(shareAtLeast("their speed from start to end", alive.tookMs / oneDead.tookMs, 0.9)),
    timed(shareAtLeast("their rate of the limit", oneDead.rate / perHostHere, 0.9)),
    ...alive.once,
    ...oneDead.once,
    atMost("publishes to the dead one meanwhile", oneDead.toFirst, 20),
  ];
}

async function drain(world: World, name: string, perHost: number, isFirstDead: boolean): Promise<Drained> {
  const stage = await startStage(world, {
    name,
    receivers: hosts,
    drain: { publishPerSecond: null, perHostPerSecond: perHostHere / world.scale.factor },
  });
  try {
    const { receivers, emulator } = stage;
    if (isFirstDead) await stage.receiver.behave({ manner: "hanging" });
    const batches = receivers.map(({ url }, index) => ({ name: `host-${index}`, count: perHost, url }));
    for (const batch of batches) await stage.seed(batch);
    await stage.startDaemons();
    const startedAt = Date.now();
    const others = receivers.slice(1);
    const ids = batches.slice(1).flatMap(idsOf);
    const arrived = () => Promise.all(others.map((one) => one.arrivals()));
    // Also what came back meanwhile has to be published again, and delivered.
    const isDone = await isSoon(
      async () => {
        const { delivered, publishedOnce } = await outcomeAt(stage, ids);
        return delivered === ids.length && publishedOnce === ids.length;
      },
      (4 * perHost * secondMs) / perHostHere + minuteMs,
      1_000,
    );
    if (!isDone) world.say(`${name}: not drained in time`);
    const all = await arrived();
    const toFirst = (await emulator.journal("accepted")).filter(({ url }) =>
      url.startsWith(stage.receiver.url),
    );
    return {
      tookMs: Math.max(...all.flatMap((arrivals) => arrivals.map(({ at }) => at))) - startedAt,
      rate: Math.min(...all.map((arrivals) => ratePerSecond(arrivals.map(({ at }) => at)))),
      once: await deliveredOnce(stage, ids),
      toFirst: countBetween(toFirst, startedAt, Date.now()),
    };
  } finally {
    await stage.close();
  }
}

const seconds = (ms: number): string => `${(ms / secondMs).toFixed(1)}s`;
