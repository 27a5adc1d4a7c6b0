import { meantAsNumbers } from "../../../rules/patterns/lookalikes.ts";
import { leavesOf, textFields, type Leaf } from "../../../rules/rule-spec.ts";
import { quoted, type ValuePath } from "../../problem.ts";
import { canonicalJson } from "../meaning-hashes.ts";
import type { Places } from "../compile-document.ts";
import type { LintDrain, LintRule } from "./lint-view.ts";
import { valueAt, type Raw } from "./raw-document.ts";
import { toPatternWarning } from "./pattern-warnings.ts";
import type { Warn } from "./report-problem.ts";

export interface WarningContext {
  readonly archive: boolean;
  readonly places: Places;
  /** As it was written. */
  readonly document: Raw;
  /** Unix ms; without it no date is judged. */
  readonly now: number | undefined;
}

/**
 * Warns of rules that load and never decide, or not as they seem to. Only what one pattern, one date or an
 * equal rule shows: patterns are not compared with each other.
 */
export function warnAboutRules(
  drain: LintDrain,
  { archive, places, document, now }: WarningContext,
  warn: Warn,
): void {
  const retentionMs = drain.source?.retentionMs ?? null;
  const hiding = new Map<string, LintRule>();
  for (const [index, rule] of drain.rules.entries()) {
    const here = ["drains", drain.name, "rules", index];
    for (const leaf of leavesOf(rule.readable)) {
      const found = toPatternWarning(leaf, retentionMs);
      const place = places.get(leaf) ?? [...here, "when"];
      if (found !== null) warn(place, found.expected, found.message, found.found);
      const texts = [valueAt(document, place)].flat().filter((text) => typeof text === "string");
      for (const text of texts) warnOfText(text, leaf, place, warn);
    }
    warnIfHidden(rule, hiding, (expected, message) => warn(here, expected, message));
    if (now !== undefined && rule.ignoreAfter !== undefined && rule.ignoreAfter < now) {
      const since = new Date(rule.ignoreAfter).toISOString();
      warn(
        [...here, "ignoreAfter"],
        "a date to come, or no such rule",
        `is skipped: its ignoreAfter ${since} has passed`,
      );
    }
    // In a live drain that is a problem already.
    if (rule.then === "drop" && !archive && !drain.isLive) {
      warn(
        [...here, "then"],
        "archive: { dir: … } at the top of the document",
        "will be refused in a live drain: a drop is archived first, and the document has no archive",
      );
    }
  }
}

/** Warns of a plain text that may not be meant as it is. */
function warnOfText(text: string, leaf: Leaf, place: ValuePath, warn: Warn): void {
  const isName = leaf.kind === "text" && /^(?:name|body)$/.test(textFields[leaf.field]);
  const isAsked = isName ? !fieldsOfIds.has(leaf.field) : leaf.kind === "value" || leaf.kind === "header";
  const meant = isAsked ? meantAsNumbers(text) : null;
  if (meant === null) return;
  const numbers =
    leaf.kind === "text" ? "" : `${leaf.kind === "header" ? "numbers (> 5, { range: 3-7 })" : meant}, or `;
  const expected = `${numbers}{ equals: … } if this very text is meant`;
  const found = leaf.kind === "header" ? undefined : quoted(text);
  const got = found === undefined ? "" : `, got ${found}`;
  warn(place, expected, `is a text, and may be meant as numbers; expected ${expected}${got}`, found);
}

const fieldsOfIds: ReadonlySet<string> = new Set(["dlqId", "messageId", "host", "method"]);

const always = canonicalJson({ kind: "any" });

/** `hiding`: the rules above by their condition; of equal ones that which is asked the longest. */
function warnIfHidden(
  rule: LintRule,
  hiding: Map<string, LintRule>,
  report: (expected: string, message: string) => void,
): void {
  if (rule.when === null) return;
  const key = canonicalJson(rule.when);
  const above = [hiding.get(always), hiding.get(key)].find(
    (one) => one !== undefined && ignoredFrom(one) >= ignoredFrom(rule),
  );
  if (above !== undefined) {
    const isAlways = above.when?.kind === "any";
    report(
      isAlways ? "rules without when, or when: any, last" : "each condition once",
      isAlways
        ? `is never asked: rule "${above.name}" above it matches every record`
        : `never decides: rule "${above.name}" above it has the same condition`,
    );
  }
  const known = hiding.get(key);
  if (known === undefined || ignoredFrom(known) < ignoredFrom(rule)) hiding.set(key, rule);
}

/** A rule that is skipped some day hides only what is skipped by then too. */
function ignoredFrom({ ignoreAfter }: LintRule): number {
  return ignoreAfter ?? Number.POSITIVE_INFINITY;
}
