/**
 * Ready and moving nothing: nothing holds a drain back, and no page of it has ended for three of its schedules.
 * Each replica finds that out for itself, from what all of them write into Redis.
 *
 * Not meant are a paused drain, one in plan mode, and a source that is halted or waits. A page with nothing new,
 * or with held letters alone, has ended too. What is due is as the last pages counted it: what nobody has listed
 * nobody knows, so a drain need not have any.
 */
import type { LiveCore } from "../compose/live-core.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Schedule } from "../contracts/drains-document.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import type { DrainName } from "../contracts/ids.ts";
import { pauseOf } from "../contracts/pauses.ts";
import type { DrainRuntime } from "../runtime.ts";

const lookEveryMs = 10_000;
const schedules = 3;
/** Longer than a killed replica's job needs to run again (60 s), and than a slow listing. */
const atLeastMs = 90_000;
/** The runs of a cron pattern may be far apart, so each counts as a day. */
const cronMs = 24 * 60 * 60_000;

/** How long a drain may move nothing. */
export function standstillAfterMs(schedule: Schedule): number {
  const everyMs = schedule.kind === "every" ? schedule.everyMs : cronMs;
  return Math.max(schedules * everyMs, atLeastMs);
}

interface Watched {
  /** What changes with each page that ends; null: not read since a page of this replica ended. */
  readonly progress: string | null;
  readonly since: number;
}

/** `lastFailure`: of a job, in words; null: none. `isFit`: Redis can be worked on; if not, that is the reason. */
export function createStandstillWatch(
  live: Pick<LiveCore, "current">,
  clock: Pick<Clock, "monotonic">,
  isFit: () => boolean,
  lastFailure: () => string | null = () => null,
) {
  const watched = new Map<DrainName, Watched>();
  let reasons: readonly string[] = [];

  async function lookAt(drain: DrainRuntime): Promise<string | null> {
    const { name, schedule } = drain.config;
    const afterMs = standstillAfterMs(schedule);
    const now = clock.monotonic();
    const before = watched.get(name) ?? { progress: null, since: now };
    watched.set(name, before);
    // What a drain that moves costs Redis is nothing.
    if (now - before.since < afterMs / 2) return null;
    // Redis may answer all but this, as a cluster with a slot that is half moved. That is no progress.
    const unseen = { due: 0, progress: before.progress ?? "" };
    const found = await unlessRedisAway(() => progressOf(live, drain), unseen);
    const isSame = found !== null && (before.progress === null || found.progress === before.progress);
    watched.set(name, { progress: found?.progress ?? null, since: isSame ? before.since : now });
    if (!isSame || now - before.since < afterMs) return null;
    const forS = Math.round((now - before.since) / 1_000);
    const failure = lastFailure();
    const due = found.due === 0 ? "nobody looks for due records" : `${found.due} records are due`;
    const why = failure === null ? "" : `; the last failure: ${failure}`;
    return `drain ${name} stands still: ${due}, nothing holds it back, and no page has ended for ${forS} s${why} (see RedriverDrainStandsStill in docs/runbooks-system.md)`;
  }

  return {
    moved(drain: DrainName): void {
      watched.set(drain, { progress: null, since: clock.monotonic() });
    },
    reasons: () => reasons,
    async look(): Promise<number> {
      if (!isFit()) {
        watched.clear();
        reasons = [];
        return lookEveryMs;
      }
      const found: string[] = [];
      for (const drain of live.current().drains.values()) {
        const reason = await lookAt(drain);
        if (reason !== null) found.push(reason);
      }
      reasons = found;
      return lookEveryMs;
    },
  };
}

async function progressOf(
  live: Pick<LiveCore, "current">,
  { config, source }: DrainRuntime,
): Promise<{ readonly due: number; readonly progress: string } | null> {
  const built = live.current().sources.get(source.config.id);
  if (config.mode !== "live" || config.paused || built === undefined) return null;
  if (source.health.standing().state !== "usable") return null;
  if (pauseOf(await built.pauses.all(), config.name) !== undefined) return null;
  const facts = await source.passes.facts(config.name);
  if (facts === null) return { due: 0, progress: "" };
  const { openPass, lastSuccessAt, pace, arrivals, due } = facts;
  return { due, progress: JSON.stringify([openPass?.soFar.pages ?? 0, lastSuccessAt, pace, arrivals, due]) };
}
