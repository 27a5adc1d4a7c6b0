/** A receiver that is dead for hours, and then is back. */
import { atLeast, atMost, exactly, shown, timed, type Figure } from "../../rig/figures.ts";
import { countBetween, deliveredOnce, ratePerSecond, secondsAhead } from "../../rig/outcome.ts";
import { idOf, idsOf } from "../../rig/letters.ts";
import type { Arrival } from "../../rig/receiver-messages.ts";
import { startStage, type Stage } from "../stage.ts";
import { hourMs, minuteMs, secondMs } from "../time-scale.ts";
import { isSoon, until } from "../../rig/wait.ts";
import type { World } from "../world.ts";

/** In the first hour of an outage: five canaries, and probes after 5, 7.5, 11.25, then every 15 minutes. */
const mostInFirstHour = 20;
const mostInLaterHour = 12;
/** From the delivery of the probe that survives, two silent watches: its own, and that of the step of 50. */
const mostUntilOpenMs = 2 * minuteMs;
/** What looks, listings and publishes take besides, which no scale makes shorter. */
const machineMs = 2 * secondMs;
const perHostPerSecond = 10;
/** Of the limit's rate; beside it one hiccup of this machine, which is a third of the small form's six seconds. */
const leastShareOfRate = 0.9;
/**
 * A rate per second may be used in one burst, which is one second ahead of it. A batch may be sent half a
 * second after its grants, and this machine takes a quarter more. A percentage of the rate cannot show it: the
 * small form is measured over five seconds, so a burst at one end is 20 %.
 */
const mostSecondsAhead = 1.75;

/**
 * Strict: one attempt, so that whatever an outage spends of it parks the message. Two replicas. With the built-in
 * limits it is only seen dead, for an hour.
 */
export async function outage(world: World, hasBuiltInLimits = false): Promise<readonly Figure[]> {
  const { scale } = world;
  const deadHours = world.isSmall || hasBuiltInLimits ? 1 : 2;
  const stage = await startStage(world, {
    name: hasBuiltInLimits ? "outage-built-in" : "outage",
    replicas: 2,
    drain: {
      attempts: { max: 1, waitMs: [2 * minuteMs] },
      perHostPerSecond,
      hasBuiltInLimits,
      // A pass of 20,000 ends by listing all that is left. No scale makes that shorter: 12 s of 67 s here, of
      // 33 minutes in real life.
      perPass: null,
    },
  });
  try {
    const { receiver } = stage;
    const batch = { name: "letter", count: world.deadLetters, url: receiver.url };
    await receiver.behave({ manner: "refusing" });
    await stage.seed(batch);
    await stage.startDaemons();
    const figures = await dead(world, stage, deadHours, idsOf(batch));
    if (hasBuiltInLimits) return figures;
    await receiver.behave({ manner: "up" });
    world.say(`outage: back after ${scale.toRealText(scale.here(deadHours * hourMs))}`);
    return [...figures, ...(await back(world, stage, idsOf(batch)))];
  } finally {
    await stage.close();
  }
}

async function dead(
  { scale }: World,
  { emulator, ask, parkedByMetric }: Stage,
  hours: number,
  ids: readonly string[],
): Promise<readonly Figure[]> {
  const accepted = (): ReturnType<typeof emulator.journal<"accepted">> => emulator.journal("accepted");
  if (!(await isSoon(async () => (await accepted()).length > 0, 60_000))) {
    throw new Error("nothing was published within a minute");
  }
  const firstAt = (await accepted())[0]!.at;
  const figures: Figure[] = [];
  const hour = scale.here(hourMs);
  for (let index = 0; index < hours; index += 1) {
    const from = firstAt + index * hour;
    await until(from + hour);
    const seen = countBetween(await accepted(), from, from + hour);
    const most = index === 0 ? mostInFirstHour : mostInLaterHour;
    figures.push(atMost(`publishes in hour ${index + 1}`, seen, most));
  }
  // What is under way is in the DLQ again within three quarters of a watch.
  await isSoon(async () => (await emulator.state()).pending === 0, scale.here(2 * minuteMs), 20);
  const listed = new Set([...(await emulator.list()).values()].map(idOf));
  figures.push(
    exactly("dead letters that are in the DLQ still", ids.filter((id) => listed.has(id)).length, ids.length),
    exactly("parked, by redriver parked list", countLines(await ask("parked", "list")), 0),
    exactly("parked, by metric", (await parkedByMetric()) ?? -1, 0),
  );
  return figures;
}

const countLines = (text: string): number => text.split("\n").filter((line) => line !== "").length;

async function back({ scale }: World, stage: Stage, ids: readonly string[]): Promise<readonly Figure[]> {
  const { receiver, emulator, moves } = stage;
  const backAt = Date.now();
  const since = async (): Promise<readonly Arrival[]> =>
    (await receiver.arrivals()).filter(({ at, status }) => at >= backAt && status === 200);
  const perSecond = perHostPerSecond * scale.factor;
  // A probe is due within three times probeEvery; then the lane opens, and everything goes at its limit.
  const longestMs = scale.here(20 * minuteMs) + (3 * ids.length * secondMs) / perSecond + minuteMs;
  const isDrained = await isSoon(async () => {
    const { pending, dlqSize } = await emulator.state();
    return pending === 0 && dlqSize === 0;
  }, longestMs);
  const survived = await since();
  const probeAt = survived[0]?.at ?? Number.NaN;
  const plain = survived.filter(({ sentAs }) => sentAs === "plain");
  const openAt = plain[0]?.at ?? Number.NaN;
  const offHaltedAt = moves().find(
    ({ at, from, to }) => at >= backAt && from === "halted" && to !== "halted",
  )?.at;
  const most = mostUntilOpenMs / scale.factor + machineMs;
  const rate = ratePerSecond(plain.map(({ at }) => at));
  const published = (await emulator.journal("accepted")).filter(({ at }) => at >= backAt);
  const took = (what: string, from: number | undefined, to: number | undefined, mostMs: number): Figure => {
    const ms = (to ?? Number.NaN) - (from ?? Number.NaN);
    return {
      what,
      seen: Number.isNaN(ms) ? "never" : scale.toRealText(ms),
      limit: `at most ${scale.toRealText(mostMs - machineMs)} and ${machineMs / secondMs}s of this machine (${scale.toRealText(mostMs)})`,
      holds: ms <= mostMs,
      // What never happened is no matter of this machine.
      ...(Number.isNaN(ms) ? {} : { isTimed: true }),
    };
  };
  return [
    shown("first delivery after it is back", scale.toRealText(probeAt - backAt)),
    took("the surviving probe's delivery until the first plain delivery", probeAt, openAt, most),
    took("off halted until the first plain delivery", offHaltedAt, openAt, most),
    timed(
      atMost(
        `seconds of the drain, at ${perSecond}/s (${rate.toFixed(0)}/s)`,
        plain.length / rate,
        plain.length / perSecond / leastShareOfRate + machineMs / secondMs,
      ),
    ),
    atMost(
      "publishes ahead of the limit, in its seconds",
      secondsAhead(published, perSecond),
      mostSecondsAhead,
    ),
    { what: "the backlog is drained", seen: isDrained ? "yes" : "no", limit: "yes", holds: isDrained },
    ...(await deliveredOnce(stage, ids)),
    atLeast("canaries among the deliveries", survived.length - plain.length, 1),
  ];
}
