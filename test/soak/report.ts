import { nameOf } from "./acts.ts";
import type { Bookkeeping } from "./bookkeeping.ts";
import type { Plan } from "./plan.ts";
import type { SoakOptions } from "./run-soak.ts";
import { rules, type Rule, type Violation } from "./verdict.ts";

/** What a soak did and found. */
export interface SoakReport {
  readonly seed: number;
  readonly minutes: number;
  readonly shiftedClocks: boolean;
  readonly leftOut: readonly string[];
  /** Acts by kind. */
  readonly acts: Readonly<Record<string, number>>;
  /** Of the emulator's faults, how often each kind met a request. */
  readonly fired: Readonly<Record<string, number>>;
  readonly messages: {
    readonly deadLetters: number;
    readonly comeBacks: number;
    readonly accepted: number;
    readonly deduplicated: number;
    readonly dropped: number;
    readonly expired: number;
    readonly leftInQueue: number;
  };
  readonly lost: number;
  /** Acceptances more than one, by declared case. */
  readonly doubled: Readonly<Record<string, number>>;
  readonly longestWaitMs: number;
  readonly drainMs: number;
  /** What the daemons told of, by event. */
  readonly told: Readonly<Record<string, number>>;
  readonly scrapes: number;
  readonly checks: readonly { readonly rule: Rule; readonly text: string; readonly violations: number }[];
  readonly violations: readonly Violation[];
}

const toldEvents = [
  "outcome:unknown",
  "double:declared",
  "double:found",
  "delete:short",
  "ledger:lost-writes",
  "source:halted",
  "redis:lost",
  "daemon:started",
];

export function toReport({
  options,
  plan,
  books,
  drainMs,
  hasClock,
}: {
  readonly options: SoakOptions;
  readonly plan: Plan;
  readonly books: Bookkeeping;
  readonly drainMs: number;
  readonly hasClock: boolean;
}): SoakReport {
  const { judge, progress, log, fired, counts } = books;
  const letters = [...judge.letters.values()];
  return {
    seed: options.seed,
    minutes: options.durationMs / 60_000,
    shiftedClocks: hasClock,
    leftOut: options.leaveOut,
    acts: tally(plan.acts.map(({ act }) => nameOf(act))),
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
    lost: judge.violations.filter(({ rule }) => rule === "lost" || rule === "deleted-unproven").length,
    doubled: tally(judge.doubles.map(({ why }) => why)),
    longestWaitMs: progress.longestWaitMs,
    drainMs: Math.round(drainMs),
    told: Object.fromEntries(toldEvents.map((event) => [event, log.counts.get(event) ?? 0])),
    scrapes: counts.scrapes,
    checks: Object.entries(rules).map(([rule, text]) => ({
      rule: rule as Rule,
      text,
      violations: judge.violations.filter((one) => one.rule === rule).length,
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

/** Violations of one rule; all of them are in the report. */
const shown = 5;

/** The report for people. */
export function toText(report: SoakReport): string {
  const { messages } = report;
  const rows: readonly (readonly [string, string])[] = [
    ["seed", String(report.seed)],
    ["minutes", String(report.minutes)],
    [
      "left out",
      [...report.leftOut, ...(report.shiftedClocks ? [] : ["shifted clocks"])].join(", ") || "nothing",
    ],
    ["acts", list(report.acts)],
    ["service faults met", list(report.fired)],
    ["messages", list(messages)],
    ["lost", String(report.lost)],
    ["doubled, all declared", list(report.doubled) || "0"],
    ["longest wait", `${(report.longestWaitMs / 1_000).toFixed(1)} s while nothing was broken`],
    ["drained", `${(report.drainMs / 1_000).toFixed(1)} s after the last act`],
    ["daemons told", list(report.told)],
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
