/** Redis is emptied under two replicas while the receiver is dead. */
import { atLeast, atMost, exactly, shown, type Figure } from "../../rig/figures.ts";
import { countBy } from "../../rig/outcome.ts";
import { idOf, idsOf, sha256Of } from "../../rig/letters.ts";
import { poisonPrefix } from "../../rig/receiver-messages.ts";
import { startStage } from "../stage.ts";
import { minuteMs, secondMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

/** Fewer than the three that, all refused, would halt the lane. */
const poisoned = 2;
/** Within what a pass looks back over, so that they are found before the next full one. */
const recently = [60 * secondMs, 10 * secondMs] as const;

export async function flushed(world: World): Promise<readonly Figure[]> {
  const { scale } = world;
  const stage = await startStage(world, {
    name: "flushed",
    replicas: 2,
    drain: { attempts: { max: 1, waitMs: [2 * minuteMs] } },
    env: { REDRIVER_PASSES_OVERLAP: "2m" },
  });
  try {
    const { emulator, receiver, redis, moves } = stage;
    const bad = { name: poisonPrefix, count: poisoned, url: receiver.url, status: 422, maxRetries: 0 };
    await stage.seed(bad);
    await stage.startDaemons();
    const accepted = (): ReturnType<typeof emulator.journal<"accepted">> => emulator.journal("accepted");
    // Their only attempt, which a full pass of a daemon without memory has to know of.
    const isSpent = await isSoon(async () => ((await stage.parkedByMetric()) ?? 0) === poisoned, 60_000);
    await receiver.behave({ manner: "refusing" });
    const batch = { name: "letter", count: world.isSmall ? 500 : 5_000, url: receiver.url, agoMs: recently };
    await stage.seed(batch);
    const isHalted = (since: number): Promise<boolean> =>
      isSoon(() => moves().some(({ at, to }) => at > since && to === "halted"), 60_000, 50);
    const seededAt = Date.now();
    const wasHalted = await isHalted(seededAt);
    await isSoon(async () => (await emulator.state()).pending === 0, 30_000, 20);

    const before = await accepted();
    const flushedAt = Date.now();
    await redis.flushall();
    const haltedAgain = await isHalted(flushedAt);
    // Half of probeEvery: what comes now is no probe yet.
    await isSoon(() => false, scale.here(2.5 * minuteMs), 200);
    const after = (await accepted()).slice(before.length);
    const arrivals = (await receiver.arrivals()).filter(({ at }) => at >= flushedAt);
    const times = countBy(await accepted(), ({ bodySha256 }) => bodySha256);
    const listed = new Set([...(await emulator.list()).values()].map(idOf));
    const all = [...idsOf(batch), ...idsOf(bad)];
    return [
      shown("its poison was tried once and parked", isSpent ? "yes" : "no"),
      exactly("halted before", wasHalted ? 1 : 0, 1),
      exactly("halted again", haltedAgain ? 1 : 0, 1),
      atLeast("published since, as a new lane does", after.length, 2),
      atMost("published since, until 2.5 minutes after it halted", after.length, 5),
      exactly("of them not as canaries", arrivals.filter(({ sentAs }) => sentAs !== "canary").length, 0),
      exactly(
        "poison published more than its one attempt",
        idsOf(bad).filter((id) => times.get(sha256Of(id)) !== 1).length,
        0,
      ),
      exactly("in the DLQ still", all.filter((id) => listed.has(id)).length, all.length),
    ];
  } finally {
    await stage.close();
  }
}
