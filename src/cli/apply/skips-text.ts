import { skippedOf, type DecisionTold, type Skip, type SkipReport } from "../../redrive/plan/skips.ts";

/** `2 gone, 1 changed, 3 decided otherwise`; empty where nothing was skipped. */
export function toSkipCounts({ gone, changed, otherwise }: SkipReport): string {
  return [
    ...(gone > 0 ? [`${gone} gone`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(otherwise > 0 ? [`${otherwise} decided otherwise`] : []),
  ].join(", ");
}

const shownSkips = 5;

/** How many of a drain were skipped and why, and the first of them one by one; empty where none were. */
export function toSkipsText(drain: string, skips: SkipReport): string {
  const skipped = skippedOf(skips);
  if (skipped === 0) return "";
  const shown = skips.examples.slice(0, shownSkips);
  const more = skipped - shown.length;
  return [
    `${drain}: ${skipped} skipped: ${toSkipCounts(skips)}\n`,
    ...shown.map((skip) => `  ${skip.dlqId}: ${toSkipReason(skip)}\n`),
    ...(more > 0 ? [`  and ${more} more\n`] : []),
  ].join("");
}

function toSkipReason({ why, was, is }: Skip): string {
  const before = toDecisionText(was);
  switch (why) {
    case "gone":
      return `gone, was ${before}`;
    case "changed":
      return `has other content now, was ${before}`;
    case "otherwise": {
      if (is === undefined || isSame(was, is)) return `was ${before}, would be sent differently`;
      const after = toDecisionText(is);
      // The short texts leave something out.
      return before === after
        ? `was ${toWholeText(was)}, is ${toWholeText(is)}`
        : `was ${before}, is ${after}`;
    }
  }
}

/** For one line among others: `republish by outage → republish by blackout`. */
export function toSkipChange(skip: Skip): string {
  const { why, was, is } = skip;
  const before = toDecisionText(was);
  switch (why) {
    case "gone":
      return `${before} → gone`;
    case "changed":
      return `${before} → changed`;
    case "otherwise": {
      if (is === undefined || isSame(was, is)) return `${before} → would be sent differently`;
      const after = toDecisionText(is);
      return before === after ? `${toWholeText(was)} → ${toWholeText(is)}` : `${before} → ${after}`;
    }
  }
}

function isSame(one: DecisionTold, other: DecisionTold): boolean {
  return one.then === other.then && one.rule === other.rule;
}

const plainReasons = new Set(["due", "rule", "reconcile"]);

/** `republish by outage`, `hold: waiting`. */
function toDecisionText(told: DecisionTold): string {
  if (told.then === "settle") return "delete again";
  if (told.rule === null || !plainReasons.has(told.reason)) return `${told.then}: ${told.reason}`;
  return `${told.then} by ${told.rule}`;
}

function toWholeText({ then, reason, rule }: DecisionTold): string {
  return `${then}: ${reason}${rule === null ? "" : ` by ${rule}`}`;
}
