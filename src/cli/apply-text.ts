import type { Applied } from "../redrive/plan/apply.ts";
import type { PlanCheck } from "../redrive/plan/check-plan.ts";
import { toTime } from "./plan-text.ts";
import { toTable } from "./table.ts";

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
    const skipped = check.gone + check.changed + check.otherwise;
    const rest = [
      ...(check.done > 0 ? [`${check.done} done already`] : []),
      ...(skipped > 0 ? [`${skipped} skipped (${toDrift(check)})`] : []),
    ];
    const text = orders.length === 0 ? "nothing to do" : orders.join(", ");
    return `  ${drain} on ${host}: ${[text, ...rest].join("; ")}`;
  });
  return `Apply the plan of ${toTime(createdAt)}:\n${parts.join("\n")}\nGo on?`;
}

function toDrift({ gone, changed, otherwise }: PlanCheck): string {
  return [
    ...(gone > 0 ? [`${gone} gone`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(otherwise > 0 ? [`${otherwise} decided otherwise`] : []),
  ].join(", ");
}

export function toApplyText(lines: readonly ApplyLine[]): string {
  return toTable(
    ["drain", "planned", "done before", "republished", "deleted", "parked", "skipped", "left"],
    lines.map(({ drain, check, applied }) => [
      drain,
      check.planned,
      check.done,
      applied?.tally.republished ?? 0,
      applied?.tally.deleted ?? 0,
      applied?.tally.parked ?? 0,
      check.gone + check.changed + check.otherwise + (applied?.skipped ?? 0),
      applied?.left ?? check.open.size,
    ]),
  );
}
