import { exactly, shown, type Figure } from "../rig/figures.ts";
import { rules } from "../rig/judge.ts";
import { countBy } from "../rig/outcome.ts";
import type { Bookkeeping } from "./bookkeeping.ts";
import type { Plan } from "./plan.ts";
import type { Stand } from "./stand.ts";
import { stallLimitMs } from "./waits.ts";

const shownEvents = [
  "outcome:unknown",
  "double:declared",
  "double:found",
  "delete:short",
  "ledger:lost-writes",
  "source:halted",
  "lane:moved",
  "redis:lost",
  "daemon:started",
];

export interface PlayedSoak {
  readonly plan: Plan;
  readonly books: Bookkeeping;
  readonly stand: Stand;
  readonly drainMs: number;
}

/** What a soak did and found, and each rule that must hold. */
export function toFigures({ plan, books, stand, drainMs }: PlayedSoak): readonly Figure[] {
  const { judge, progress, log, fired, counts } = books;
  const { quiet, excusedLetters, longestStallMs, longestWaitMs } = progress;
  const letters = [...judge.letters.values()];
  const messages = {
    "dead letters": letters.length,
    "come-backs": judge.deadAgain.size,
    accepted: judge.published.size,
    deduplicated: counts.deduplicated,
    dropped: counts.dropped,
    expired: counts.expired,
    "left in the queue": letters.filter(({ deleted }) => deleted === null).length,
  };
  const excused = [
    ...[...quiet.excusedMs].map(([why, ms]) => `${why} ${toSeconds(ms)}`),
    ...[...excusedLetters].map(([why, dlqIds]) => `${why} ${dlqIds.size} dead letters`),
  ];
  return [
    // What the seed made of it.
    shown("service", list(Object.entries(stand.service))),
    shown("left out", stand.clock === null ? "shifted clocks" : "nothing"),
    shown("acts", list(countBy(plan.acts, ({ name }) => name))),
    shown("service faults met", list(fired)),
    shown("messages", list(Object.entries(messages))),
    shown("doubled and declared", list(countBy(judge.doubles, ({ why }) => why))),
    shown("nothing broken for", toSeconds(quiet.totalMs)),
    // Of what was begun, less what is excused.
    shown("longest stall", `${toSeconds(longestStallMs)} of at most ${toSeconds(stallLimitMs)}`),
    shown("longest wait, with excuses", toSeconds(longestWaitMs)),
    shown("excused", excused.join(", ")),
    shown("drained after the last act", toSeconds(drainMs)),
    shown("daemons logged", list(shownEvents.map((event) => [event, log.counts.get(event) ?? 0]))),
    ...Object.entries(rules).map(([rule, text]) =>
      exactly(text, judge.violations.filter((one) => one.rule === rule).length, 0),
    ),
  ];
}

const list = (counts: Iterable<readonly [string, string | number]>): string =>
  [...counts].map((pair) => pair.join(" ")).join(", ");

const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
