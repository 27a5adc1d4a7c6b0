import { killKinds, toOptions, type KillKind } from "./kill.ts";
import type { CaseResult } from "./run-case.ts";
import type { MatrixResult } from "./run-matrix.ts";
import { toTryAgain } from "./second-try.ts";

export type MatrixSummary = ReturnType<typeof summarise>;

/** The numbers of one matrix, for people, for CI and for docs/internals/proof.md. */
export function summarise({ seed, recorded, passings, cases, tookMs }: MatrixResult) {
  const reached = cases.filter((one) => one.reached !== null);
  const placesOf = (kind: KillKind): readonly string[] =>
    reached.filter((one) => one.reached === kind).map(placeOf);
  const all = [recorded, ...cases];
  const doubles = all.flatMap((one) => one.doubles);
  const declared: Record<string, number> = {};
  for (const why of doubles) if (why !== null) declared[why] = (declared[why] ?? 0) + 1;
  return {
    seed,
    cases: cases.length,
    /** Of the cases, those with many windows and pages at once. */
    turnedUp: cases.filter(({ isTurnedUp }) => isTurnedUp).length,
    atWork: {
      windows: Math.max(...all.map(({ atWork }) => atWork.windows)),
      pages: Math.max(...all.map(({ atWork }) => atWork.pages)),
    },
    /** Of the cases, those whose failpoint was passed. */
    kills: reached.length,
    killsByKind: perKind((kind) => placesOf(kind).length),
    failpoints: {
      covered: new Set(reached.map(placeOf)).size,
      total: passings.size,
      /** How often each of them was passed at least, with each kind. */
      leastByKind: perKind((kind) => leastOften(placesOf(kind), passings.keys())),
    },
    messages: sum(cases.map(({ messages }) => messages)),
    lost: sum(all.map(({ lost }) => lost)),
    doubled: { undeclared: doubles.filter((why) => why === null).length, declared },
    /**
     * From the start of the last daemon (Redis and the service answer all along) until settled: promise 5.
     */
    longestStallMs: Math.max(0, ...cases.map(({ stallMs }) => stallMs)),
    longestStallInDoubtMs: Math.max(0, ...cases.map(({ stallInDoubtMs }) => stallInDoubtMs)),
    longestStallInLaneMs: Math.max(0, ...cases.map(({ stallInLaneMs }) => stallInLaneMs)),
    violations: all.flatMap(toViolations),
    tryAgain: toTryAgain(all),
    notReached: cases.filter((one) => one.reached === null).map(nameOf),
    /**
     * A second death that the daemon which came back did not come by: counted as one that was killed once.
     */
    notReachedAgain: reached.filter(({ kill, reached: how }) => kill?.kind !== how).map(nameOf),
    tookMs,
  };
}

export function toTable(summary: MatrixSummary): string {
  const { failpoints, doubled, notReached, notReachedAgain, violations } = summary;
  const declared = Object.entries(doubled.declared).map(([name, count]) => `${count} ${name}`);
  const rows: readonly (readonly [string, string])[] = [
    ["seed", String(summary.seed)],
    ["kills", `${summary.kills} of ${summary.cases} cases`],
    ...killKinds.map(
      (kind) =>
        [
          `  ${kind}`,
          `${summary.killsByKind[kind]}, each failpoint ${failpoints.leastByKind[kind]} times or more`,
        ] as const,
    ),
    ["failpoints", `${failpoints.covered} of ${failpoints.total}`],
    ["turned up", `${summary.turnedUp} of ${summary.cases} cases`],
    ["most windows at work", String(summary.atWork.windows)],
    ["most pages of a window at work", String(summary.atWork.pages)],
    ["messages", String(summary.messages)],
    ["lost", String(summary.lost)],
    ["doubled, undeclared", String(doubled.undeclared)],
    ["doubled, declared", declared.length === 0 ? "0" : declared.join(", ")],
    ["longest stall", toSeconds(summary.longestStallMs)],
    ["longest stall of what none could prove", toSeconds(summary.longestStallInDoubtMs)],
    ["longest stall in a lane", toSeconds(summary.longestStallInLaneMs)],
    ["violations", String(violations.length)],
    ["took", toSeconds(summary.tookMs)],
  ];
  return [
    ...rows.map(([name, value]) => `${name.padEnd(40)}${value}`),
    ...notReached.map((name) => `not reached: ${name}`),
    ...notReachedAgain.map((name) => `second death not reached: ${name}`),
    ...violations.map(({ failpoint, what }) => `VIOLATION ${failpoint}: ${what}`),
    "",
  ].join("\n");
}

/** What a case missed, with its name as the command takes it. */
export function toViolations(
  result: CaseResult,
): readonly { readonly failpoint: string; readonly what: string }[] {
  return result.violations.map(({ what }) => ({ failpoint: nameOf(result), what }));
}

/** One line of a case as it ends. */
export function toLine(result: CaseResult): string {
  const { stallMs, stallInDoubtMs, stallInLaneMs, stalled, doubles, violations } = result;
  const stalls = `${toSeconds(stallMs)} (${stalled ?? "none"}) ${toSeconds(stallInDoubtMs)} ${toSeconds(stallInLaneMs)}`;
  const doubled =
    doubles.length === 0 ? "" : ` doubled ${doubles.map((why) => why ?? "undeclared").join(", ")}`;
  const verdict = violations.length === 0 ? "ok " : "BAD";
  return `${verdict} ${nameOf(result)}${toReach(result)} ${stalls}${doubled}\n`;
}

function toReach({ kill, reached }: CaseResult): string {
  if (reached === null) return " (not reached)";
  return reached === kill?.kind ? "" : " (second death not reached)";
}

/** As the command takes it. */
function nameOf({ kill, isTurnedUp }: CaseResult): string {
  return kill === null ? "no death" : toOptions(kill, isTurnedUp);
}

function perKind(count: (kind: KillKind) => number): Readonly<Record<KillKind, number>> {
  const of = (kind: KillKind) => [kind, count(kind)] as const;
  return Object.fromEntries(killKinds.map(of)) as Record<KillKind, number>;
}

function leastOften(places: readonly string[], all: Iterable<string>): number {
  const times = new Map<string, number>();
  for (const place of all) times.set(place, 0);
  for (const place of places) times.set(place, (times.get(place) ?? 0) + 1);
  return Math.min(...times.values());
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
