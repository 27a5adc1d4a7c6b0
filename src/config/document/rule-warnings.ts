import type { DrainConfig } from "../../ports/drains.ts";
import { covers, type Budget } from "../../rules/covers.ts";
import type { RuleSpec } from "../../rules/spec.ts";
import type { ValuePath } from "../problem.ts";
import { canHold, toSelected } from "./select-checks.ts";

export type Warn = (path: ValuePath, expected: string, message: string) => void;

/** Rules that load and never decide, or not as they seem to. `now` in Unix ms; without it no date is judged. */
export function warnAboutRules(
  drain: DrainConfig,
  archive: boolean,
  now: number | undefined,
  budget: Budget,
  warn: Warn,
): void {
  const path = ["drains", drain.name, "rules"];
  const selected = toSelected(drain.select);
  for (const [index, rule] of drain.rules.entries()) {
    const here = [...path, index];
    const earlier = drain.rules.slice(0, index).find((candidate) => hides(candidate, rule, budget));
    if (earlier !== undefined)
      warn(
        here,
        "rules without when, or when: any, last; the narrower of two rules first",
        hiddenBy(earlier),
      );
    else if (!canHold(rule.when, selected, budget)) {
      warn(
        [...here, "when"],
        "values that the drain's select lists",
        "can never hold: no record that select lists has these values",
      );
    }
    if (now !== undefined && rule.ignoreAfter !== undefined && rule.ignoreAfter < now) {
      const since = new Date(rule.ignoreAfter).toISOString();
      warn(
        [...here, "ignoreAfter"],
        "a date to come, or no such rule",
        `is skipped: its ignoreAfter ${since} has passed`,
      );
    }
    if (rule.then === "drop" && !archive) {
      warn(
        [...here, "then"],
        "archive: { dir: … } at the top of the document",
        "will be refused in a live drain: a drop is archived first, and the document has no archive",
      );
    }
  }
}

/** A rule that is skipped some day hides only what is skipped by then too. */
function hides(earlier: RuleSpec, later: RuleSpec, budget: Budget): boolean {
  const until = earlier.ignoreAfter ?? Number.POSITIVE_INFINITY;
  if (until < (later.ignoreAfter ?? Number.POSITIVE_INFINITY)) return false;
  return covers(earlier.when, later.when, budget);
}

function hiddenBy(earlier: RuleSpec): string {
  return earlier.when.kind === "any"
    ? `is never asked: rule "${earlier.name}" above it holds for every record`
    : `never decides: rule "${earlier.name}" above it holds for every record that this one does`;
}
