import { toGrid, type CheckCounts } from "../../rig/figures.ts";
import type { Tally } from "./tally.ts";

/**
 * Each objection, each part that had to be seen, and each reason is a check. `stopped`: why the play did not
 * come to its end; null: it did.
 */
export function countChecks(
  tally: Tally,
  mustBeSeen: readonly string[],
  stopped: string | null,
): CheckCounts {
  const rows = tally.rows();
  const bad = rows.filter(({ known }) => known === undefined).length;
  const unseen = unseenOf(tally, mustBeSeen).length;
  return {
    passed: rows.length - bad + mustBeSeen.length - unseen,
    failed: bad + unseen + tally.unneeded().length + (stopped === null ? 0 : 1),
  };
}

export function toReport(tally: Tally, mustBeSeen: readonly string[], stopped: string | null): string {
  const exchanges = [...tally.exchanges()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const total = exchanges.reduce((sum, [, count]) => sum + count, 0);
  const rows = tally.rows();
  const { passed, failed } = countChecks(tally, mustBeSeen, stopped);
  return [
    toGrid([["operation", "exchanges"], ...exchanges.map(([name, count]) => [name, String(count)])]),
    "",
    toGrid([
      ["", "operation", "where", "at", "objection", "count", "wins", "sample"],
      ...rows.map(({ operation, where, at, what, count, known, sample }) => [
        known === undefined ? "FAILED" : "known",
        operation,
        where,
        at,
        what,
        String(count),
        known?.wins ?? "",
        sample,
      ]),
    ]),
    "",
    ...unseenOf(tally, mustBeSeen).map((name) => `FAILED  not seen: ${name}`),
    ...tally
      .unneeded()
      .map(({ operation, where, at, what }) => `FAILED  not needed: ${operation}, ${where}, ${at}: ${what}`),
    ...(stopped === null ? [] : [`FAILED  the play ended: ${stopped}`]),
    `${total} exchanges, ${rows.length} objections`,
    `${passed} passed, ${failed} failed`,
    "",
  ].join("\n");
}

const unseenOf = (tally: Tally, mustBeSeen: readonly string[]): readonly string[] =>
  mustBeSeen.filter((name) => !tally.seen().has(name));
