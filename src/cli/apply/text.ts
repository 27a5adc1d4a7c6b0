import type { Applied, Wait } from "../../redrive/plan/apply.ts";
import type { PlanCheck } from "../../redrive/plan/check-plan.ts";
import { addSkips, skippedOf, type SkipReport } from "../../redrive/plan/skips.ts";
import { formatDuration } from "../../rules/format-duration.ts";
import { toTime } from "../plan/rules-text.ts";
import { toSkipCounts } from "./skips-text.ts";
import { toTable } from "../output/table.ts";

/** A drain's part of a plan, as it was found and what became of it. */
export interface ApplyLine {
  readonly drain: string;
  /** Of its source. */
  readonly host: string;
  readonly check: PlanCheck;
  /** Null where it was not begun. */
  readonly applied: Applied | null;
}

export function toQuestion(
  createdAt: number,
  lines: readonly Pick<ApplyLine, "drain" | "host" | "check">[],
): string {
  const parts = lines.map(({ drain, host, check }) => {
    const acts = { republish: 0, drop: 0, park: 0, settle: 0, hold: 0 };
    for (const { then } of check.open.values()) acts[then] += 1;
    const orders = [
      ...(acts.republish > 0 ? [`${acts.republish} to republish`] : []),
      ...(acts.drop > 0 ? [`${acts.drop} to archive and delete`] : []),
      ...(acts.park > 0 ? [`${acts.park} to park`] : []),
      ...(acts.settle > 0 ? [`${acts.settle} to delete again`] : []),
    ];
    const skipped = skippedOf(check.skips);
    const rest = [
      ...(check.done > 0 ? [`${check.done} done already`] : []),
      ...(skipped > 0 ? [`${skipped} skipped (${toSkipCounts(check.skips)})`] : []),
    ];
    const text = orders.length === 0 ? "nothing to do" : orders.join(", ");
    return `  ${drain} on ${host}: ${[text, ...rest].join("; ")}`;
  });
  return `Apply the plan of ${toTime(createdAt)}:\n${parts.join("\n")}\nGo on?`;
}

/** What was skipped before anything was done, and meanwhile. */
export function skipsOf({ check, applied }: Pick<ApplyLine, "check" | "applied">): SkipReport {
  return applied === null ? check.skips : addSkips(check.skips, applied.skips);
}

/** `waits for guard 20, next look in 10s`. */
export function toWaitText({ reasons, nextLookMs }: Pick<Wait, "reasons" | "nextLookMs">): string {
  const what = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
  return `waits for ${what.join(", ")}, next look in ${formatDuration(Math.ceil(nextLookMs / 1_000) * 1_000)}`;
}

export function toApplyText(lines: readonly ApplyLine[]): string {
  return toTable(
    [
      "drain",
      "planned",
      "before",
      "republished",
      "dropped",
      "deleted",
      "parked",
      "meanwhile",
      "skipped",
      "left",
    ],
    lines.map(({ drain, check, applied }) => [
      drain,
      check.planned,
      check.done,
      applied?.tally.republished ?? 0,
      applied?.dropped ?? 0,
      applied?.tally.deleted ?? 0,
      applied?.tally.parked ?? 0,
      applied?.meanwhile ?? 0,
      skippedOf(skipsOf({ check, applied })),
      applied?.left ?? check.open.size,
    ]),
  );
}
