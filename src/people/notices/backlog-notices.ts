/**
 * A backlog begins and ends. What rules hold is none, nor is what else waits for a person, or is tried rarely.
 *
 *   nothing waits ──► something waits ──(10 at once, or for 10 s)──► told ──► nothing waits ──(4 s)──► over, told
 *          ▲                 │ less, and gone                          ▲             │ waits again
 *          └─────────────────┘                                        └─────────────┘
 */
import type { NoticeItem } from "../../job/contracts/notices.ts";
import { type DrainNoticeFacts, type NoticeFacts, toMainFailure } from "./notice-facts.ts";

/** A drain's backlog as of the last evaluation. Times are Unix ms. */
export interface BacklogMemory {
  /** What the drain had done, and had parked, when nothing waited last. */
  readonly before: Done;
  /** Since when something waits; absent: nothing does, or it was told. */
  readonly waitsSince?: number;
  /** When the backlog that was told began; absent: none was. */
  readonly beganAt?: number;
  /** What most of it was of then. */
  readonly main?: Main;
  /** Since when nothing waits any more, while that is not told yet. */
  readonly emptySince?: number;
}

type Main = Pick<NoticeItem, "destination" | "cause" | "failure">;
type Done = Pick<DrainNoticeFacts, "published" | "failedAgain" | "parked">;

/** So many at once are a backlog, and fewer if they stay. */
const manyWaiting = 10;
const staysMs = 10_000;
/** Two evaluations that find nothing, 5 s apart: a come-back within them belongs to the same backlog. */
const emptyMs = 4_000;
/** Nothing that waits goes by itself. Reasons are estimated while a pass is open, so this must last. */
const onlyHeldMs = 60_000;

export function toBacklogNotices(
  before: BacklogMemory | undefined,
  drain: DrainNoticeFacts,
  facts: NoticeFacts,
  now: number,
) {
  const { published, failedAgain, parked, waiting, heldByRules } = drain;
  const done = { published, failedAgain, parked };
  const known = before ?? { before: done };
  const { forPerson, cooling } = drain.leftAlone;
  const free = waiting - heldByRules - forPerson - cooling;
  if (known.beganAt === undefined) {
    if (free === 0) return { after: { before: done } };
    const since = known.waitsSince ?? now;
    if (free < manyWaiting && now - since < staysMs) {
      return { after: { before: known.before, waitsSince: since } };
    }
    const main = toMainFailure(drain.failures, facts, ({ waiting: count }) => count);
    return { began: toBegan(drain, main), after: { before: known.before, beganAt: since, main } };
  }
  const { before: start, beganAt, main } = known;
  const ongoing = { before: start, beganAt, ...(main && { main }) };
  if (free > 0 || drain.mayHaveSkipped) return { after: ongoing };
  const emptySince = known.emptySince ?? now;
  if (now - emptySince < (waiting === 0 ? emptyMs : onlyHeldMs)) {
    return { after: { ...ongoing, emptySince } };
  }
  return { ended: toEnded(drain, known, emptySince - beganAt), after: { before: done } };
}

function toBegan(drain: DrainNoticeFacts, main: Main): NoticeItem {
  const item = { drain: drain.drain, ...main, count: drain.waiting };
  return drain.stillCounting ? { ...item, figures: { stillCounting: 1 } } : item;
}

const unknown: Main = { destination: null, cause: null, failure: null };

function toEnded(
  drain: DrainNoticeFacts,
  { before, main = unknown }: BacklogMemory,
  durationMs: number,
): NoticeItem {
  // Counts fall if Redis loses them, or if a kind of failure is forgotten.
  const rise = (name: keyof Done): number => Math.max(0, drain[name] - before[name]);
  const published = rise("published");
  const figures = { published, failedAgain: rise("failedAgain"), parked: rise("parked"), durationMs };
  const { forPerson, cooling } = drain.leftAlone;
  const heldByRules = drain.waiting - forPerson - cooling;
  const left = Object.entries({ heldByRules, forPerson, cooling }).filter(([, count]) => count > 0);
  return {
    drain: drain.drain,
    ...main,
    count: published,
    figures: { ...figures, ...Object.fromEntries(left) },
  };
}
