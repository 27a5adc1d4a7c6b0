import type { Applied, ApplyWait } from "../../redrive/plan/apply.ts";
import type { PlanCheck } from "../../redrive/plan/check-plan.ts";
import { addSkips, skippedOf, type Skip, type SkipReport } from "../../redrive/plan/skips.ts";
import { formatDuration } from "../../rules/durations.ts";
import { toTime } from "../output/time.ts";
import { ifAny, toDecisionText } from "../plan/rules-text.ts";
import { toTable } from "../output/table.ts";

/** A drain's part of a plan, as it was found and what became of it. */
export interface ApplyLine {
  readonly drain: string;
  /** Of its source. */
  readonly host: string;
  readonly check: PlanCheck;
  readonly applied: Applied;
}

export function toQuestion(createdAt: number, lines: readonly Omit<ApplyLine, "applied">[]): string {
  const parts = lines.map(({ drain, host, check }) => {
    const acts = { republish: 0, drop: 0, park: 0, settle: 0, hold: 0 };
    for (const { then } of check.open.values()) acts[then] += 1;
    const orders = [
      ...ifAny(acts.republish, "to republish"),
      ...ifAny(acts.drop, "to archive and delete"),
      ...ifAny(acts.park, "to park"),
      ...ifAny(acts.settle, "to delete again"),
    ];
    const skipped = skippedOf(check.skips);
    const rest = [
      ...ifAny(check.done, "done already"),
      ...ifAny(skipped, `skipped (${toSkipCounts(check.skips)})`),
    ];
    const text = orders.length === 0 ? "nothing to do" : orders.join(", ");
    return `  ${drain} on ${host}: ${[text, ...rest].join("; ")}`;
  });
  return `Apply the plan of ${toTime(createdAt)}:\n${parts.join("\n")}\nGo on?`;
}

/** What was skipped before anything was done, and meanwhile. */
export function skipsOf({ check, applied }: Pick<ApplyLine, "check" | "applied">): SkipReport {
  return addSkips(check.skips, applied.skips);
}

const shownSkips = 5;

/** How many of a drain were skipped and why, and the first of them one by one; empty if none were. */
export function toSkipsText(drain: string, skips: SkipReport): string {
  const skipped = skippedOf(skips);
  if (skipped === 0) return "";
  const shown = skips.examples.slice(0, shownSkips);
  const more = skipped - shown.length;
  return [
    `${drain}: ${skipped} skipped: ${toSkipCounts(skips)}\n`,
    ...shown.map((skip) => `  ${toSkipText(skip)}\n`),
    ...(more > 0 ? [`  and ${more} more\n`] : []),
  ].join("");
}

/** `1795211964826-0: republish by outage → republish by blackout`. */
export function toSkipText({ dlqId, why, was, is }: Skip): string {
  const before = toDecisionText(was);
  const after = is === undefined ? why : toDecisionText(is);
  return `${dlqId}: ${before} → ${after === before ? "would be sent differently" : after}`;
}

/** `2 gone, 1 changed, 3 decided otherwise`; empty if nothing was skipped. */
function toSkipCounts({ gone, changed, otherwise }: SkipReport): string {
  return [
    ...ifAny(gone, "gone"),
    ...ifAny(changed, "changed"),
    ...ifAny(otherwise, "decided otherwise"),
  ].join(", ");
}

/** `waits for guard 20, next look in 10s`. */
export function toWaitText({ reasons, nextLookMs }: Pick<ApplyWait, "reasons" | "nextLookMs">): string {
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
      applied.tally.republished,
      applied.dropped,
      applied.tally.deleted,
      applied.tally.parked,
      applied.meanwhile,
      skippedOf(skipsOf({ check, applied })),
      applied.left,
    ]),
  );
}
