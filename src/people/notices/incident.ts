/**
 * How often a target gets word of one incident: when it begins, what changes at growing intervals, and at once when it
 * is over. Intervals are 1, 4, 288, 288, … times `every`: 5 min, 20 min, then a day. So an incident of a day is
 * four messages at most, and one more for each sort of news that is worse. Pure; times are Unix ms.
 */
import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import type { Incident, Notice, NoticeKind } from "../../job/contracts/notices.ts";
import type { NoticeMemory } from "./to-notices.ts";

/** What one event brings with it, such as the halts of all hosts of a rack, comes within this time. */
export const groupWaitMs = 15_000;
/** So many `every` pass after the first message, after the second, and after each later one. */
const intervals = [1, 4];
const laterInterval = 288;
/** After an end: two messages in two `every` are no more than one in each. */
const endInterval = 2;
/** What comes after so many `every` of silence is another incident, unless something of it still goes on. */
const silence = 24;
/** Worse than what an incident brings by itself: the first of its kind is told at once. */
const worse: readonly NoticeKind[] = ["destination.halted", "expiring.soon"];

interface Pace extends Pick<NotifyTarget, "everyMs"> {
  /** Nothing of what people were told goes on. */
  readonly isOver: boolean;
}

/** A backlog goes on, or parks of it are still being counted. `before`: only what began by then. */
export function goesOn(
  memory: NoticeMemory | null,
  { drains }: Pick<NotifyTarget, "drains">,
  before = Infinity,
): boolean {
  const { backlogs = {}, parked = {} } = memory ?? {};
  const going = [
    ...Object.entries(backlogs).filter(
      ([, { waitsSince, beganAt }]) => (waitsSince ?? beganAt ?? Infinity) < before,
    ),
    ...Object.entries(parked).filter(([, { firstAt = Infinity }]) => firstAt < before),
  ];
  return going.some(([drain]) => drains?.some((name) => name === drain) ?? true);
}

/** When the last message of one that went on was sent. */
export function toldAt({ until }: Incident, { everyMs }: Pick<NotifyTarget, "everyMs">): number {
  return until - everyMs * silence;
}

/** News waits no longer for its turn. */
export function longestWaitMs(everyMs: number): number {
  return laterInterval * everyMs + groupWaitMs;
}

export function dueAt(
  waiting: readonly [Notice, ...(readonly Notice[])],
  incident: Incident | null,
  { everyMs, isOver }: Pace,
): number {
  const groupMs = Math.min(groupWaitMs, everyMs);
  const grouped = waiting[0].at + groupMs;
  if (incident === null || (incident.goesOn && isOver)) return grouped;
  // A digest is asked for at its time.
  const early = waiting.find(({ event }) => event === "digest" || isWorse(event, incident));
  return Math.min(Math.max(grouped, incident.nextAt), (early?.at ?? Infinity) + groupMs);
}

export function toIncident(
  before: Incident | null,
  told: readonly Notice[],
  { everyMs, isOver }: Pace,
  now: number,
): Incident {
  const { messages, worse: known } = before ?? { messages: 0, worse: [] };
  const atEnd = messages === 0 ? intervals[0]! : endInterval;
  const nextAt = now + everyMs * (isOver ? atEnd : (intervals[messages] ?? laterInterval));
  return {
    messages: messages + 1,
    goesOn: !isOver,
    nextAt,
    until: isOver ? nextAt : now + everyMs * silence,
    worse: [
      ...new Set([...known, ...told.map(({ event }) => event).filter((event) => worse.includes(event))]),
    ],
  };
}

function isWorse(event: NoticeKind, incident: Incident): boolean {
  return worse.includes(event) && !incident.worse.includes(event);
}
