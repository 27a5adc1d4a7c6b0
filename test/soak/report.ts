import { nameOf } from "./acts.ts";
import type { Bookkeeping } from "./bookkeeping.ts";
import type { Plan } from "./plan.ts";
import type { SoakOptions } from "./run-soak.ts";
import type { Stand } from "./stand.ts";
import { rules, type Rule } from "../rig/judge.ts";
import { slackMs, stallLimitMs } from "./waits.ts";

export type SoakReport = ReturnType<typeof toReport>;

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
  readonly options: SoakOptions;
  readonly plan: Plan;
  readonly books: Bookkeeping;
  readonly stand: Stand;
  readonly drainMs: number;
}

/** What a soak did and found. */
export function toReport({ options, plan, books, stand, drainMs }: PlayedSoak) {
  const { judge, progress, log, fired, counts } = books;
  const letters = [...judge.letters.values()];
  const countOf = (...wanted: readonly Rule[]): number =>
    judge.violations.filter(({ rule }) => wanted.includes(rule)).length;
  return {
    seed: options.seed,
    minutes: options.durationMs / 60_000,
    /** What the seed made of the service. */
    service: stand.service,
    shiftedClocks: stand.clock !== null,
    /** By kind. */
    acts: tally(plan.acts.map(({ act }) => nameOf(act))),
    /** Of the emulator's faults, how often each kind met a request. */
    fired: Object.fromEntries([...fired].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    messages: {
      deadLetters: letters.length,
      comeBacks: judge.deadAgain.size,
      accepted: judge.published.size,
      deduplicated: counts.deduplicated,
      dropped: counts.dropped,
      expired: counts.expired,
      leftInQueue: letters.filter(({ deleted }) => deleted === null).length,
    },
    lost: countOf("lost", "deleted-unproven"),
    /** Acceptances more than one, by how the audit declared them. */
    doubled: tally(judge.doubles.map(({ why }) => why)),
    undeclaredDoubles: countOf("doubled"),
    waits: {
      /** How long nothing was broken. */
      quietMs: progress.quiet.totalMs,
      /** The longest that something waited meanwhile; `stallMs`: that was begun, less what is excused. */
      longestMs: progress.longestWaitMs,
      stallMs: progress.longestStallMs,
      limitMs: stallLimitMs,
      /** How much of the quiet each excuse was there; two may have been there at once. */
      excusedMs: Object.fromEntries(progress.quiet.excusedMs),
      /** Dead letters that wait by design, or that waited longer than `limitMs` but for this. */
      excusedLetters: Object.fromEntries(
        [...progress.excusedLetters].map(([why, dlqIds]) => [why, dlqIds.size]),
      ),
    },
    drainMs: Math.round(drainMs),
    /** What the daemons logged, by event. */
    told: Object.fromEntries(shownEvents.map((event) => [event, log.counts.get(event) ?? 0])),
    scrapes: counts.scrapes,
    checks: Object.entries(rules).map(([rule, text]) => ({
      rule: rule as Rule,
      text,
      violations: countOf(rule as Rule),
    })),
    violations: judge.violations,
  };
}

function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

/** How acts are grouped for people, by their names. */
const groups: readonly (readonly [group: string, names: RegExp])[] = [
  ["done to daemons", /^(SIG|shift-clock)/],
  ["done to Redis", /^redis-/],
  ["done to connections", /^tcp-/],
  ["service faults planned", /^emulator /],
  ["done besides", /./],
];

function toActRows(acts: SoakReport["acts"]): readonly (readonly [string, string])[] {
  const left = new Map(Object.entries(acts));
  return groups.map(([group, names]) => {
    const ours = [...left].filter(([name]) => names.test(name));
    for (const [name] of ours) left.delete(name);
    const shown = ours.map(([name, count]): [string, number] => [name.replace("emulator ", ""), count]);
    return [group, list(Object.fromEntries(shown)) || "nothing"];
  });
}

const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function toWaitRows({ waits, drainMs }: SoakReport): readonly (readonly [string, string])[] {
  const excuses = [
    ...Object.entries(waits.excusedMs).map(([why, ms]) => `${why} ${toSeconds(ms)}`),
    ...Object.entries(waits.excusedLetters).map(([why, count]) => `${why} ${count} dead letters`),
  ];
  return [
    ["nothing broken for", toSeconds(waits.quietMs)],
    ["longest stall", `${toSeconds(waits.stallMs)} of at most ${toSeconds(waits.limitMs)}`],
    [
      "",
      `(takeover, a sweep, and ${toSeconds(slackMs)} for the machine; ${toSeconds(waits.longestMs)} with excuses)`,
    ],
    ["excused", excuses.join(", ") || "nothing"],
    ["drained", `${toSeconds(drainMs)} after the last act`],
  ];
}

/** Violations of one rule; all of them are in the report. */
const shown = 5;

/** The report for people. */
export function toText(report: SoakReport): string {
  const rows: readonly (readonly [string, string])[] = [
    ["seed", String(report.seed)],
    ["minutes", String(report.minutes)],
    [
      "service",
      Object.entries(report.service)
        .map((pair) => pair.join(" "))
        .join(", "),
    ],
    ["left out", report.shiftedClocks ? "nothing" : "shifted clocks"],
    ...toActRows(report.acts),
    ["service faults met", list(report.fired)],
    ["messages", list(report.messages)],
    ["lost", String(report.lost)],
    ["doubled and declared", list(report.doubled) || "0"],
    ["doubled undeclared", String(report.undeclaredDoubles)],
    ...toWaitRows(report),
    ["daemons logged", list(report.told)],
  ];
  const checks = report.checks.map(
    ({ text, violations }) =>
      `${violations === 0 ? "ok    " : "BROKEN"} ${text}${violations === 0 ? "" : `: ${violations}`}`,
  );
  const violations = report.violations
    .filter(({ rule }, index, all) => all.slice(0, index).filter((one) => one.rule === rule).length < shown)
    .map(({ rule, text, at }) => `${new Date(at).toISOString()} ${rule}: ${text}`);
  return [...rows.map(([name, value]) => `${name.padEnd(22)} ${value}`), "", ...checks, ...violations].join(
    "\n",
  );
}
