/** A receiver that is up for 90 s and away for 90 s, in turns, for an hour. */
import { atLeast, atMost, exactly, shown, type Figure, timed } from "../../rig/figures.ts";
import { idOf, idsOf } from "../../rig/letters.ts";
import { startStage } from "../stage.ts";
import { hourMs, minuteMs, secondMs } from "../time-scale.ts";
import { isSoon, until } from "../../rig/wait.ts";
import type { World } from "../world.ts";

const phaseMs = 90 * secondMs;
const perHostPerSecond = 10;
/**
 * What is published while it is away: at most two down phases meet an open lane, one in which it opens
 * because the step before was silent, and the next. In each it publishes at its limit until half of a watch
 * has shown that canaries are back, 10/s × 30 s; and what pages have in hand when it halts goes too, four of
 * 100. A step of 50 may end in a down phase. From then on it takes the long way over one probe and five
 * canaries, as in any outage, which is what the 20 of a dead receiver's first hour are for. 2 × (300 + 400) +
 * 50 + 20; the limits alone would let 18,000 through.
 */
const mostIntoDown = 1_470;
/**
 * More than the limits let through in an hour's down phases, in the small form in half of them: whatever
 * holds it back is no lack of messages.
 */
const letters = { small: 10_000, real: 50_000 };
/**
 * Probes are 5, 7.5, 11.25, then 15 minutes apart, and each of them that survives leads to one halt at most:
 * five, and the first.
 */
const mostHalts = 7;

export async function flap(world: World): Promise<readonly Figure[]> {
  const { scale } = world;
  const stage = await startStage(world, { name: "flap", drain: { perHostPerSecond } });
  try {
    const { emulator } = stage;
    const { receiver } = stage;
    const batch = { name: "letter", count: world.isSmall ? letters.small : letters.real, url: receiver.url };
    await stage.seed(batch);
    await stage.startDaemons();
    const accepted = (): ReturnType<typeof emulator.journal<"accepted">> => emulator.journal("accepted");
    await isSoon(async () => (await accepted()).length > 0, minuteMs, 20);
    const startedAt = Date.now();
    const downs: { readonly from: number; to: number }[] = [];
    for (let phase = 1; phase * phaseMs <= hourMs; phase += 1) {
      await until(startedAt + scale.here(phase * phaseMs));
      const isDown = phase % 2 === 1;
      await receiver.behave({ manner: isDown ? "closed" : "up" });
      if (isDown) downs.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
      else if (downs.length > 0) downs.at(-1)!.to = Date.now();
    }
    await until(startedAt + scale.here(hourMs));
    const endedAt = Date.now();
    const died = (await emulator.journal("dead-lettered")).filter(({ at }) => at < endedAt);
    const published = await accepted();
    const intoDown = published.filter(({ at }) => downs.some(({ from, to }) => at >= from && at < to));
    const halts = stage
      .moves()
      .filter(({ at, from, to }) => at < endedAt && to === "halted" && from !== "halted");
    const dlqIds = new Set([...(await emulator.list()).values()].map(idOf));
    const delivered = new Set(
      (await receiver.arrivals()).filter(({ status }) => status === 200).map(({ id }) => id),
    );
    const { pending } = await emulator.state();
    const missing = idsOf(batch).filter((id) => !dlqIds.has(id) && !delivered.has(id)).length;
    return [
      shown("delivered", String(delivered.size)),
      // A lane that stands still wastes nothing: five canaries, and a probe every 15 minutes at least.
      atLeast("published", published.length, 9),
      // At a rate, until the daemon notices: a busy machine makes that later.
      timed(atMost("published while it was away", intoDown.length, mostIntoDown)),
      timed(atMost("wasted publishes (came back)", died.length, mostIntoDown)),
      atMost("halts in the hour", halts.length, mostHalts),
      // What the service still tries is in neither.
      atMost("neither in the DLQ nor delivered", missing, pending),
      exactly("parked", (await stage.parkedByMetric()) ?? 0, 0),
    ];
  } finally {
    await stage.close();
  }
}
