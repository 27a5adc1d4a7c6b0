import { toGrid } from "../rig/figures.ts";
import { countBy } from "../rig/outcome.ts";
import { killKinds, toOptions } from "./kill.ts";
import type { CaseResult } from "./run-case.ts";
import type { CaseKind, MatrixResult } from "./run-matrix.ts";

/** What a case missed, with its name as the command takes it. */
export interface Missed {
  readonly failpoint: string;
  readonly what: string;
}

export function toMissed(result: CaseResult): readonly Missed[] {
  return result.violations.map(({ what }) => ({ failpoint: nameOf(result), what }));
}

/**
 * A case that missed a time, or that nobody could judge, is run once more, alone: these. None, if anything was missed
 * that no second try excuses.
 */
export function toTryAgain(results: readonly CaseResult[]): readonly CaseKind[] {
  const bad = results.filter(({ violations }) => violations.length > 0);
  if (bad.some(({ violations }) => violations.some(({ mayTryAgain }) => !mayTryAgain))) return [];
  return bad.map(({ kill, isTurnedUp }) => ({ kill, isTurnedUp }));
}

/** The numbers of one matrix, for people and for docs/internals/proof.md. */
export function toTable({ seed, recorded, passings, cases, tookMs }: MatrixResult): string {
  const all = [recorded, ...cases];
  const reached = cases.filter((one) => one.reached !== null);
  const places = new Set(reached.map(({ kill }) => kill?.failpoint.replace(/#\d+$/, "")));
  const doubles = countBy(
    all.flatMap((one) => one.doubles),
    (why) => why ?? "undeclared",
  );
  const declared = [...doubles]
    .filter(([why]) => why !== "undeclared")
    .map(([why, count]) => `${count} ${why}`);
  const most = (of: (one: CaseResult) => number, some: readonly CaseResult[] = all): number =>
    Math.max(0, ...some.map(of));
  const sum = (of: (one: CaseResult) => number, some: readonly CaseResult[] = all): number =>
    some.reduce((total, one) => total + of(one), 0);
  const rows: readonly (readonly [string, string | number])[] = [
    ["seed", seed],
    ["kills", `${reached.length} of ${cases.length} cases`],
    ...killKinds.map((kind) => [`  ${kind}`, reached.filter((one) => one.reached === kind).length] as const),
    ["failpoints", `${places.size} of ${passings.size}`],
    ["turned up", `${cases.filter(({ isTurnedUp }) => isTurnedUp).length} of ${cases.length} cases`],
    ["most windows at work", most(({ atWork }) => atWork.windows)],
    ["most pages of a window at work", most(({ atWork }) => atWork.pages)],
    ["messages", sum(({ messages }) => messages, cases)],
    ["lost", sum(({ lost }) => lost)],
    ["doubled, undeclared", doubles.get("undeclared") ?? 0],
    ["doubled, declared", declared.join(", ") || 0],
    // From the start of the last daemon (Redis and the service answer all along) until settled: promise 5.
    ["longest stall", toSeconds(most(({ stalls }) => stalls.plain.ms, cases))],
    ["longest stall of what none could prove", toSeconds(most(({ stalls }) => stalls.inDoubt.ms, cases))],
    ["longest stall in a lane", toSeconds(most(({ stalls }) => stalls.inLane.ms, cases))],
    ["violations", sum(({ violations }) => violations.length)],
    ["took", toSeconds(tookMs)],
  ];
  return [
    toGrid(rows.map(([name, value]) => [name, String(value)])),
    ...cases.flatMap((one) => (toReach(one) === "" ? [] : [`${nameOf(one)}${toReach(one)}`])),
    ...all.flatMap(toMissed).map(({ failpoint, what }) => `VIOLATION ${failpoint}: ${what}`),
    "",
  ].join("\n");
}

/** One line of a case as it ends. */
export function toLine(result: CaseResult): string {
  const { stalls, doubles, violations } = result;
  const { plain, inDoubt, inLane } = stalls;
  const waited = `${toSeconds(plain.ms)} (${plain.key}) ${toSeconds(inDoubt.ms)} ${toSeconds(inLane.ms)}`;
  const doubled =
    doubles.length === 0 ? "" : ` doubled ${doubles.map((why) => why ?? "undeclared").join(", ")}`;
  const verdict = violations.length === 0 ? "ok " : "BAD";
  return `${verdict} ${nameOf(result)}${toReach(result)} ${waited}${doubled}\n`;
}

/** A second death that the daemon which came back did not come by counts as one that was killed once. */
function toReach({ kill, reached }: CaseResult): string {
  if (reached === null) return " (not reached)";
  return reached === kill?.kind ? "" : " (second death not reached)";
}

/** As the command takes it. */
function nameOf({ kill, isTurnedUp }: CaseResult): string {
  return kill === null ? "no death" : toOptions(kill, isTurnedUp);
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
