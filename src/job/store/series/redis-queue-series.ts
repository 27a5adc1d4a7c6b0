import {
  keptSamples,
  type KindsSample,
  type QueueSample,
  type QueueSeries,
} from "../../contracts/queue-series.ts";
import { sharedKey } from "../../redis/key-prefix.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";

/** A week, and the day in which nobody samples. */
const lifeMs = 8 * 86_400_000;
const minutesOfHour = 60;

/** A hash: minute → counts, `h<hour>` → counts of kinds. A minute and its hour are two fields of one key. */
export function createRedisQueueSeries(redis: StoreRedis): QueueSeries {
  const key = sharedKey(redis.keyPrefix, "queue-series");
  const readFields = async (fields: readonly string[]): Promise<readonly unknown[]> =>
    fields.length === 0 ? [] : ((await redis.command("HMGET", key, ...fields)) as readonly unknown[]);
  return {
    async has(minute) {
      return (await redis.command("HEXISTS", key, String(minute))) === 1;
    },
    async add(minute, sample, kinds) {
      const counts = JSON.stringify([...counted, "at" as const].map((name) => sample[name]));
      if ((await redis.command("HSETNX", key, String(minute), counts)) === 0) return;
      const hour = toHourField(Math.floor(minute / minutesOfHour));
      await redis.command("HSET", key, hour, JSON.stringify(kinds));
      await redis.command("PEXPIRE", key, lifeMs);
      await forget(minute);
    },
    async read(minutes) {
      return (await readFields(minutes.map(String))).map(toSample);
    },
    async readKinds(hours) {
      return (await readFields(hours.map(toHourField))).map(toKinds);
    },
  };

  /** Once an hour also what stayed while nobody sampled. */
  async function forget(minute: number): Promise<void> {
    const left = [minute - keptSamples.minutes - 1, minute - keptSamples.everyTenth - 1].map(String);
    const all =
      minute % minutesOfHour === 0
        ? toHashEntries(await redis.command("HGETALL", key)).map(([field]) => field)
        : left;
    const old = all.filter((field) => !isKept(field, minute));
    if (old.length > 0) await redis.command("HDEL", key, ...old);
  }
}

function isKept(field: string, now: number): boolean {
  const [, hour] = /^h(\d+)$/.exec(field) ?? [];
  if (hour !== undefined) return Number(hour) > Math.floor(now / minutesOfHour) - keptSamples.kindHours;
  const minute = Number(field);
  const age = now - minute;
  return age <= keptSamples.minutes || (minute % 10 === 0 && age <= keptSamples.everyTenth);
}

function toHourField(hour: number): string {
  return `h${hour}`;
}

/** In this order, as a list: there are some thousand. Behind them its time, which older builds did not write. */
const counted = ["waiting", "parked", "arrived", "published", "failedAgain"] as const;

function toSample(text: unknown): QueueSample | null {
  const counts = parse(text);
  if (!Array.isArray(counts) || !counted.every((_, place) => Number.isFinite(counts[place]))) return null;
  const names = Number.isFinite(counts[counted.length]) ? [...counted, "at"] : counted;
  return Object.fromEntries(names.map((name, place) => [name, counts[place] as number])) as Record<
    keyof QueueSample,
    number
  >;
}

function toKinds(text: unknown): KindsSample | null {
  const kinds = parse(text);
  return typeof kinds === "object" && kinds !== null && !Array.isArray(kinds) ? (kinds as KindsSample) : null;
}

/** Null: there is none, or another build wrote what this one does not read. */
function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
