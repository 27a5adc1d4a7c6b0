import { canonicalJson } from "../meaning-hashes.ts";
import type { LintDrain, LintRule } from "./lint-view.ts";
import type { Warn } from "./report-problem.ts";

export interface WarningContext {
  readonly archive: boolean;
  readonly now: number | undefined;
}

/** Warns of rules that load and never decide, or not as they seem to. Only what one date or an equal rule shows. */
export function warnAboutRules(drain: LintDrain, { archive, now }: WarningContext, warn: Warn): void {
  const hiding = new Map<string, LintRule>();
  for (const [index, rule] of drain.rules.entries()) {
    const here = ["drains", drain.name, "rules", index];
    const hidden = whyHidden(rule, hiding);
    if (hidden !== null) warn(here, hidden);
    if (now !== undefined && rule.ignoreAfter !== undefined && rule.ignoreAfter < now) {
      const since = new Date(rule.ignoreAfter).toISOString();
      warn([...here, "ignoreAfter"], `is skipped: its ignoreAfter ${since} has passed`);
    }
    // In a live drain that is a problem already.
    if (rule.then === "drop" && !archive && !drain.isLive) {
      warn(
        [...here, "then"],
        "will be refused in a live drain: a drop is archived first, and the document has no archive",
      );
    }
  }
}

const always = canonicalJson({ kind: "any" });

/** `hiding`: the rules above by their condition; of equal ones that which is asked the longest. */
function whyHidden(rule: LintRule, hiding: Map<string, LintRule>): string | null {
  if (rule.when === null) return null;
  const key = canonicalJson(rule.when);
  const above = [hiding.get(always), hiding.get(key)].find(
    (one) => one !== undefined && ignoredFrom(one) >= ignoredFrom(rule),
  );
  const known = hiding.get(key);
  if (known === undefined || ignoredFrom(known) < ignoredFrom(rule)) hiding.set(key, rule);
  if (above === undefined) return null;
  return above.when?.kind === "any"
    ? `is never asked: rule "${above.name}" above it matches every record`
    : `never decides: rule "${above.name}" above it has the same condition`;
}

/** A rule that is skipped some day hides only what is skipped by then too. */
function ignoredFrom({ ignoreAfter }: LintRule): number {
  return ignoreAfter ?? Number.POSITIVE_INFINITY;
}
