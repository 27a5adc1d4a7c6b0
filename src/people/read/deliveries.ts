import type { SourceConfig } from "../../job/contracts/drains-document.ts";
import type { LanesCounted } from "../../job/contracts/lanes.ts";
import type { ReplicaRecord } from "../../job/contracts/replicas.ts";
import type { CallClass } from "../../job/contracts/source-pauses.ts";

/**
 * What is known of the deliveries of what was published. `behind`: messages wait at the service; at least
 * `undelivered`, if that is known. `unreported`: so it seems, or its callbacks do not arrive, as none has told of a
 * delivery lately. `watched`: published so lately that it is not known yet. `unwatched`: so lately, and nothing but
 * silence will tell. `delivered`: neither is so.
 */
export interface DeliveryStanding {
  readonly standing: "behind" | "unreported" | "watched" | "unwatched" | "delivered";
  /** Null: not known. Canaries alone, as nothing is known of others. */
  readonly undelivered: number | null;
}

/** An answer of the service, or a callback, is news for as long as the longest time to the next question, built in. */
const newsMs = 15 * 60_000;
/** Nobody knows longer: a receiver that hangs can hold a delivery so long that the last attempt is in it. */
const unwatchedMs = 3_600_000;

/** Null: its drains have no lanes. `watchMs`: the longest of its drains. */
export function toDeliveries(
  lanes: Pick<LanesCounted, "at" | "unknown" | "lastUsedAt" | "reportedAt" | "service"> | null,
  { callbacks, watchDeliveries }: Pick<SourceConfig, "callbacks" | "watchDeliveries">,
  watchMs: number,
): DeliveryStanding | null {
  if (lanes === null) return null;
  const { at, unknown, lastUsedAt, reportedAt, service } = lanes;
  if (unknown > 0) {
    const isUnreported = callbacks !== undefined && at - (reportedAt ?? 0) >= newsMs;
    return { standing: isUnreported ? "unreported" : "behind", undelivered: unknown };
  }
  const isAsked = watchDeliveries === true && service !== null && !("isAbsent" in service);
  if (isAsked && service.count >= service.max && at - service.at < newsMs) {
    return { standing: "behind", undelivered: null };
  }
  const isWatched = callbacks !== undefined || isAsked;
  const idleMs = lastUsedAt === null ? Infinity : at - lastUsedAt;
  if (idleMs < (isWatched ? 2 * watchMs : unwatchedMs)) {
    return { standing: isWatched ? "watched" : "unwatched", undelivered: null };
  }
  return { standing: "delivered", undelivered: 0 };
}

const callsOf = { batch: "publish", dlq: "list, delete" } as const;

export interface ServicePause {
  readonly calls: (typeof callsOf)[CallClass];
  readonly until: number;
}

/** Pauses that the service asked for with a 429: which calls, and until when. */
export function toServicePauses(limits: Readonly<Record<CallClass, number>>): readonly ServicePause[] {
  return (["batch", "dlq"] as const).flatMap((callClass) => {
    const until = limits[callClass];
    return until === 0 ? [] : [{ calls: callsOf[callClass], until }];
  });
}

/** Shorter ones come and go with every limit per second. */
export function toLongPauses(pauses: readonly ServicePause[], now: number): readonly ServicePause[] {
  return pauses.filter(({ until }) => until - now > 60_000);
}

/** What replicas last told of a service that they cannot work with. Null: it answers each of them. */
export function toRest(replicas: readonly Pick<ReplicaRecord, "resting">[], source: string) {
  const told = replicas.flatMap(({ resting }) => resting.filter((one) => one.source === source));
  const halts = told.filter(({ state }) => state === "halted");
  const rest = halts[0] ?? told.find(({ code }) => code === "service-unavailable");
  if (rest === undefined) return null;
  const times = told.flatMap(({ code, since }) => (code === rest.code ? (since ?? []) : []));
  return {
    code: rest.code,
    since: times.length === 0 ? null : Math.min(...times),
    /** Replicas. Each halts by itself; that a service does not answer binds all. */
    halted: halts.length,
    isOfAll: halts.length === 0 || halts.length === replicas.length,
  };
}
