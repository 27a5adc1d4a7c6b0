import type { CaseResult } from "./run-case.ts";
import type { MatrixResult } from "./run-matrix.ts";

/** The numbers of one matrix, for people, for CI and for docs/guarantees.md. */
export interface Summary {
  readonly seed: number;
  /** Deaths that were asked for, and of these the ones whose failpoint was passed. */
  readonly cases: number;
  readonly kills: number;
  readonly failpoints: { readonly covered: number; readonly total: number };
  readonly messages: number;
  readonly lost: number;
  /** Dead letters that were accepted more than once, by what the audit says of them. */
  readonly doubled: { readonly undeclared: number; readonly declared: Readonly<Record<string, number>> };
  readonly longestStallMs: number;
  readonly longestStallInDoubtMs: number;
  readonly violations: readonly { readonly failpoint: string; readonly what: string }[];
  readonly notReached: readonly string[];
  readonly tookMs: number;
}

export function summarise({ seed, recorded, passings, cases, tookMs }: MatrixResult): Summary {
  const reached = cases.filter((one) => one.reached);
  const all = [recorded, ...cases];
  const doubles = all.flatMap((one) => one.doubles);
  const declared: Record<string, number> = {};
  for (const name of doubles.flatMap((one) => one.declared)) declared[name] = (declared[name] ?? 0) + 1;
  return {
    seed,
    cases: cases.length,
    kills: reached.length,
    failpoints: {
      covered: new Set(reached.map((one) => placeOf(one))).size,
      total: passings.size,
    },
    messages: sum(cases.map(({ messages }) => messages)),
    lost: sum(all.map(({ lost }) => lost)),
    doubled: { undeclared: doubles.filter((one) => one.declared.length === 0).length, declared },
    longestStallMs: Math.max(0, ...cases.map(({ stallMs }) => stallMs)),
    longestStallInDoubtMs: Math.max(0, ...cases.map(({ stallInDoubtMs }) => stallInDoubtMs)),
    violations: all.flatMap((one) => one.violations.map((what) => ({ failpoint: nameOf(one), what }))),
    notReached: cases.filter((one) => !one.reached).map(nameOf),
    tookMs,
  };
}

export function toTable(summary: Summary): string {
  const { failpoints, doubled, notReached, violations } = summary;
  const declared = Object.entries(doubled.declared).map(([name, count]) => `${count} ${name}`);
  const rows: readonly (readonly [string, string])[] = [
    ["seed", String(summary.seed)],
    ["kills", `${summary.kills} of ${summary.cases} cases`],
    ["failpoints", `${failpoints.covered} of ${failpoints.total}`],
    ["messages", String(summary.messages)],
    ["lost", String(summary.lost)],
    ["doubled, undeclared", String(doubled.undeclared)],
    ["doubled, declared", declared.length === 0 ? "0" : declared.join(", ")],
    ["longest stall", toSeconds(summary.longestStallMs)],
    ["longest stall in doubt after a refusal", toSeconds(summary.longestStallInDoubtMs)],
    ["violations", String(violations.length)],
    ["took", toSeconds(summary.tookMs)],
  ];
  return [
    ...rows.map(([name, value]) => `${name.padEnd(40)}${value}`),
    ...notReached.map((name) => `not reached: ${name}`),
    ...violations.map(({ failpoint, what }) => `VIOLATION ${failpoint}: ${what}`),
    "",
  ].join("\n");
}

/** One line of a case as it ends. */
export function toLine(result: CaseResult): string {
  const { stallMs, stallInDoubtMs, doubles, violations } = result;
  const stalls = `${toSeconds(stallMs)} ${toSeconds(stallInDoubtMs)}`;
  const doubled = doubles.length === 0 ? "" : ` doubled ${doubles.length}`;
  const reached = result.reached ? "" : " (not reached)";
  const verdict = violations.length === 0 ? "ok " : "BAD";
  return `${verdict} ${nameOf(result)}${reached} ${stalls}${doubled}\n`;
}

/** As `--at` and `--crash` take it. */
export function nameOf({ kill }: CaseResult): string {
  return kill === null ? "no death" : `${kill.failpoint} (${kill.crash})`;
}

function placeOf({ kill }: CaseResult): string {
  return kill?.failpoint.replace(/#\d+$/, "") ?? "";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
