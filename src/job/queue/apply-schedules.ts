import { isDeepStrictEqual } from "node:util";
import type { JobSchedulerJson, JobSchedulerTemplateOptions, Queue, RepeatOptions } from "bullmq";
import type { Schedule } from "../contracts/drains-document.ts";
import type { OtherSchedules, ScheduledJob } from "../contracts/work-queue.ts";
import { toJobData } from "./job-data.ts";
import { keepShort, callTimeoutMs, oneTry } from "./policy.ts";
import { withinRedis, type QueueConnection } from "./connection.ts";
import { openShortQueue } from "./command-queue.ts";
import { repeatStrategy } from "./next-cron-run.ts";

/**
 * Makes the schedules in Redis equal to the wanted ones. An equal one is left alone: an upsert removes the
 * pending iteration, and a cron iteration that has just become due would never run.
 *
 *   absent         upsert without a phase: `every` runs at once and keeps that phase, cron waits for its slot
 *   equal, alive   nothing
 *   far ahead      removed, then as absent: a replica whose clock was ahead has made the next iteration by it
 *   equal, dead    upsert: a crash between two commands left the entry without its pending iteration
 *   different      upsert with a phase made of the id: `every` goes on at its next slot
 *   not wanted     removed, unless others are kept; an iteration that waits already still runs once
 *
 * Without a phase a different schedule would run at once. Two replicas with different documents overwrite
 * each other every few seconds. A phase counted from now would put the next run off each time; one made of
 * the id is the same in every write.
 *
 * `redisNow`: the clock that all replicas share, Unix ms.
 */
export async function applySchedules(
  queue: Queue,
  wanted: readonly ScheduledJob[],
  others: OtherSchedules,
  redisNow: () => Promise<number>,
): Promise<void> {
  const schedulers = await queue.getJobSchedulers();
  const now = await redisNow();
  // Read after the schedules: the iteration of a schedule that goes on meanwhile is then asked about alone.
  const delayed = new Set(schedulers.length === 0 ? [] : await queue.getRanges(["delayed"], 0, -1));
  const isAlive: IsAlive = async (id, next) =>
    delayed.has(toIterationId(id, next)) || (await isAtWork(queue, id, next, now));
  const stored = new Map(schedulers.map((scheduler) => [scheduler.key, scheduler]));
  const ids = new Set(wanted.map(({ id }) => id));
  await Promise.all([
    ...[...stored.keys()]
      .filter((id) => others === "remove" && !ids.has(id))
      .map((id) => queue.removeJobScheduler(id)),
    ...wanted.map((scheduled) => applyOne(queue, scheduled, stored.get(scheduled.id), now, isAlive)),
  ]);
}

async function applyOne(
  queue: Queue,
  { id, job, schedule }: ScheduledJob,
  stored: JobSchedulerJson | undefined,
  now: number,
  isAlive: IsAlive,
): Promise<void> {
  const template = { name: job.kind, data: toJobData(job), opts: iterationOptions };
  const repeat = toRepeat(schedule);
  const upsert = (how: typeof repeat & { offset?: number }) => queue.upsertJobScheduler(id, how, template);
  if (stored === undefined) {
    await upsert(repeat);
  } else if (!isSame(stored, repeat, template)) {
    const { every } = repeat;
    await upsert(every === undefined ? repeat : { ...repeat, offset: toPhaseMs(id, every) });
  } else if (isFarAhead(schedule, stored.next, now)) {
    await queue.removeJobScheduler(id);
    await upsert(repeat);
  } else if (stored.next === undefined || !(await isAlive(id, stored.next))) {
    await upsert(repeat);
  }
}

/** Whether the next iteration is later than the schedule can have meant. */
function isFarAhead(schedule: Schedule, next: number | undefined, now: number): boolean {
  if (next === undefined) return false;
  if (schedule.kind === "every") return next > now + 2 * schedule.everyMs + clockSlackMs;
  const { pattern, timezone = "UTC" } = schedule;
  // Of this slot a clock that is little ahead may have made the iteration already.
  const latest = repeatStrategy(now + clockSlackMs, { pattern, tz: timezone }) ?? next;
  return next > (latest as number);
}

/** Clocks of one cluster differ by less, and Redis time is cut to whole seconds. */
const clockSlackMs = 5_000;

/** One try: the next schedule is the retry. Redis keeps no stack traces, and nothing of an iteration that is done. */
const iterationOptions: JobSchedulerTemplateOptions = { ...oneTry, ...keepShort, removeOnComplete: true };

type Repeat = Pick<RepeatOptions, "every" | "pattern" | "tz">;

/** Never `immediately`: with a pattern it fires at every upsert, which is every start of every replica. */
function toRepeat(schedule: Schedule): Repeat {
  if (schedule.kind === "every") return { every: schedule.everyMs };
  // Without a zone BullMQ would take the machine's.
  return { pattern: schedule.pattern, tz: schedule.timezone ?? "UTC" };
}

function isSame(
  stored: JobSchedulerJson,
  repeat: Repeat,
  template: { readonly name: string; readonly data: unknown; readonly opts: unknown },
): boolean {
  return (
    stored.every === repeat.every &&
    stored.pattern === repeat.pattern &&
    stored.tz === repeat.tz &&
    stored.name === template.name &&
    isDeepStrictEqual(stored.template?.data, template.data) &&
    isDeepStrictEqual(stored.template?.opts, template.opts)
  );
}

/** Whether the pending iteration of a schedule is there. */
type IsAlive = (id: string, next: number) => Promise<boolean>;

/** BullMQ names the pending iteration after its scheduler and its slot; the slot is the scheduler's score. */
const toIterationId = (id: string, next: number): string => `repeat:${id}:${next}`;

/**
 * Of an iteration that is no longer delayed. The next one is made as this one is taken. If it is not there
 * soon after, Redis refused it.
 */
async function isAtWork(queue: Queue, id: string, next: number, now: number): Promise<boolean> {
  const state = await queue.getJobState(toIterationId(id, next));
  if (state === "active") return now - next < clockSlackMs;
  return state === "delayed" || state === "waiting" || state === "prioritized";
}

/** A fixed phase in (0, everyMs), spread over ids (FNV-1a). 0 would mean "none" to BullMQ. */
function toPhaseMs(id: string, everyMs: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return everyMs < 2 ? everyMs : 1 + (hash % (everyMs - 1));
}

/**
 * When each schedule runs next, by its id, Unix ms; in the past while nobody works. Changes nothing in Redis.
 * Fails with `redis-unavailable`. The connection stays the caller's.
 */
export async function readNextRuns(
  connection: QueueConnection,
  keyPrefix: string,
): Promise<ReadonlyMap<string, number>> {
  const queue = openShortQueue(connection, keyPrefix);
  const schedulers = await withinRedis(connection, callTimeoutMs, "schedules", () =>
    queue.getJobSchedulers(),
  );
  return new Map(schedulers.flatMap(({ key, next }) => (next === undefined ? [] : [[key, next] as const])));
}
