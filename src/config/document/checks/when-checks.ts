import { describeCondition } from "../../../job/rules/explain-rules.ts";
import { findClash } from "../../../job/rules/find-clash.ts";
import { leavesOf, type Condition, type Leaf } from "../../../job/rules/rule-spec.ts";
import type { Places } from "../compile-document.ts";
import type { LintDrain } from "./lint-view.ts";
import { judgePatterns } from "./pattern-checks.ts";
import { valueAt, type Raw } from "./raw-document.ts";
import type { Report, Warn } from "./report-problem.ts";
import { judgeText } from "./text-checks.ts";

/** Reports what a rule asks for and no record can have, and warns of what probably none has. */
export function checkWhens(
  drain: LintDrain,
  { places, document }: { readonly places: Places; readonly document: Raw },
  to: { readonly report: Report; readonly warn: Warn },
): void {
  const retentionMs = drain.source?.retentionMs ?? null;
  for (const [index, rule] of drain.rules.entries()) {
    const when = ["drains", drain.name, "rules", index, "when"];
    const refused = new Set<Leaf>();
    for (const leaf of leavesOf(rule.readable)) {
      const place = places.get(leaf) ?? when;
      const found = judgePatterns(leaf, retentionMs);
      if (found?.kind === "warning") to.warn(place, found.message);
      if (found?.kind === "problem") {
        to.report(place, "key", found.message);
        refused.add(leaf);
        continue;
      }
      const written = [valueAt(document, place)].flat();
      for (const text of written) if (typeof text === "string") judgeText(text, leaf, place, to);
    }
    for (const clash of clashesIn(rule.readable)) {
      if (refused.has(clash.test) || refused.has(clash.other)) continue;
      const expected = "tests that one record can pass, or any: [ … ] for either";
      const message = `can never match beside ${describeCondition(clash.other)}; expected ${expected}`;
      to.report(places.get(clash.test) ?? when, "key", message);
    }
  }
}

function clashesIn(condition: Condition): readonly NonNullable<ReturnType<typeof findClash>>[] {
  const clash = findClash(condition);
  if (clash !== null) return [clash];
  if (condition.kind === "not") return clashesIn(condition.of);
  return condition.kind === "all" ? condition.of.flatMap(clashesIn) : [];
}
