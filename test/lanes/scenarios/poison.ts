/**
 * One message in ten is refused with 422 whenever it is tried, and retried alone in the end, when the others
 * are delivered.
 */
import { atMost, exactly, shown, type Figure } from "../../rig/figures.ts";
import { countBy, deliveredOnce } from "../../rig/outcome.ts";
import { idOf, idsOf, sha256Of } from "../../rig/letters.ts";
import { poisonPrefix } from "../../rig/receiver-messages.ts";
import { startStage } from "../stage.ts";
import { minuteMs, secondMs } from "../time-scale.ts";
import { isSoon } from "../../rig/wait.ts";
import type { World } from "../world.ts";

const attempts = { max: 3, waitMs: [2 * minuteMs, 10 * minuteMs, 20 * minuteMs] };
const perHostPerSecond = 10;

export async function poison(world: World): Promise<readonly Figure[]> {
  const { scale } = world;
  const stage = await startStage(world, { name: "poison", drain: { attempts, perHostPerSecond } });
  try {
    const { emulator } = stage;
    const { url } = stage.receiver;
    const all = world.isSmall ? 2_000 : Math.min(world.deadLetters, 10_000);
    const good = { name: "good", count: Math.round(all * 0.9), url };
    const bad = { name: poisonPrefix, count: Math.round(all * 0.1), url, status: 422, maxRetries: 1 };
    await stage.seed(good);
    await stage.seed(bad);
    await stage.startDaemons();
    const parked = async (): Promise<readonly ParkedLine[]> =>
      (await stage.ask("parked", "list"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as ParkedLine);
    // Attempts and their waits, what both bunches take at the limit, and passes in between.
    const longestMs =
      scale.here(attempts.waitMs.reduce((sum, ms) => sum + ms, 0)) +
      (all * 2 * secondMs) / (perHostPerSecond * scale.factor) +
      scale.here(30 * minuteMs) +
      minuteMs;
    await isSoon(async () => ((await stage.parkedByMetric()) ?? 0) >= bad.count, longestMs, 1_000);
    const listed = await parked();
    const dlq = await emulator.list();
    const [goodIds, poisonIds] = [idsOf(good), idsOf(bad)];
    const isPoison = new Set(poisonIds.map(sha256Of));
    const accepted = await emulator.journal("accepted");
    const times = countBy(accepted, ({ bodySha256 }) => bodySha256);
    const wasted = accepted.filter(({ bodySha256 }) => isPoison.has(bodySha256)).length;
    const parkedBodies = new Set(listed.map(({ dlqId }) => idOf(dlq.get(dlqId) ?? '{"id":""}')));
    const away = stage.moves().filter(({ to }) => to === "halted");
    return [
      exactly("times that the lane was halted", away.length, 0),
      ...away.slice(0, 2).map(({ why }) => shown("halted because", why)),
      ...(await deliveredOnce(stage, goodIds)),
      exactly(
        "poison that is parked",
        poisonIds.filter((id) => parkedBodies.has(id)).length,
        poisonIds.length,
      ),
      exactly("good ones that are parked", goodIds.filter((id) => parkedBodies.has(id)).length, 0),
      exactly("poison in the DLQ still", new Set([...dlq.values()].map(idOf)).size, poisonIds.length),
      exactly(
        "parked for its attempts, with its kind of failure",
        listed.filter(isExplained).length,
        poisonIds.length,
      ),
      exactly(
        `poison that was published ${attempts.max} times`,
        poisonIds.filter((id) => times.get(sha256Of(id)) === attempts.max).length,
        poisonIds.length,
      ),
      atMost("wasted publishes", wasted, attempts.max * poisonIds.length),
      shown("took", scale.toRealText((accepted.at(-1)?.at ?? 0) - (accepted[0]?.at ?? 0))),
    ];
  } finally {
    await stage.close();
  }
}

interface ParkedLine {
  readonly dlqId: string;
  readonly reason: string;
  readonly attempt: number;
  readonly status?: number | null;
  readonly answer?: string;
  readonly failure?: string;
}

/** What all refusals have in common: the id differs. */
const refusalText = "no such order: poison-<n>";

const isExplained = ({ reason, attempt, status, answer, failure }: ParkedLine): boolean =>
  reason === "attempts-exhausted" &&
  attempt === attempts.max &&
  status === 422 &&
  answer === refusalText &&
  /^[0-9a-f]{10}$/.test(failure ?? "");
