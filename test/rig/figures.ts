/** One thing that was measured, in the units of real life. */
export interface Figure {
  readonly what: string;
  readonly seen: string;
  /** What it is held to; null: only shown. */
  readonly limit: string | null;
  readonly holds: boolean;
  /** A time, a rate, or what depends on one: a busy machine may miss it. */
  readonly isTimed?: true;
}

export interface ScenarioResult {
  readonly scenario: string;
  readonly figures: readonly Figure[];
  readonly tookMs: number;
}

export const shown = (what: string, seen: string): Figure => ({ what, seen, limit: null, holds: true });

export function atMost(what: string, seen: number, most: number): Figure {
  return { what, seen: toText(seen), limit: `at most ${toText(most)}`, holds: seen <= most };
}

export function atLeast(what: string, seen: number, least: number): Figure {
  return { what, seen: toText(seen), limit: `at least ${toText(least)}`, holds: seen >= least };
}

export function exactly(what: string, seen: number, wanted: number): Figure {
  return { what, seen: toText(seen), limit: toText(wanted), holds: seen === wanted };
}

export const timed = (figure: Figure): Figure => ({ ...figure, isTimed: true });

/** The same text. */
export function same(what: string, seen: string, wanted: string): Figure {
  return { what, seen, limit: wanted, holds: seen === wanted };
}

/** A list of what should not be there. */
export function none(what: string, seen: readonly string[]): Figure {
  const first = seen.slice(0, 3).join(", ");
  const text = seen.length > 3 ? `${seen.length}, such as ${first}` : first;
  return { what, seen: seen.length === 0 ? "none" : text, limit: "none", holds: seen.length === 0 };
}

/** Shares, from 0: 1 is all. */
export function shareAtLeast(what: string, seen: number, least: number): Figure {
  return { what, seen: toPercent(seen), limit: `at least ${toPercent(least)}`, holds: seen >= least };
}

export const toPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;

export interface CheckCounts {
  readonly passed: number;
  readonly failed: number;
}

/** A figure without a limit is no check. */
export function countChecks(results: readonly ScenarioResult[]): CheckCounts {
  const checks = results.flatMap(({ figures }) => figures.filter(({ limit }) => limit !== null));
  const failed = checks.filter(({ holds }) => !holds).length;
  return { passed: checks.length - failed, failed };
}

export function toTable(results: readonly ScenarioResult[]): string {
  const rows = results.flatMap(({ scenario, figures }) =>
    figures.map(({ what, seen, limit, holds }) => [
      limit === null ? "" : holds ? "ok" : "FAILED",
      scenario,
      what,
      seen,
      limit ?? "",
    ]),
  );
  return toGrid([["", "scenario", "figure", "seen", "limit"], ...rows]);
}

/** Rows of cells, each column as wide as its widest cell. */
export function toGrid(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function toText(count: number): string {
  if (!Number.isFinite(count)) return "none";
  return (Number.isInteger(count) ? count : Number(count.toFixed(2))).toLocaleString("en-GB");
}
