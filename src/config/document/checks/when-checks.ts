import { slipInHost } from "../../../job/message/host-and-path.ts";
import { describeCondition } from "../../../job/rules/explain-rules.ts";
import { findClash } from "../../../job/rules/find-clash.ts";
import { leavesOf, type Condition, type Leaf } from "../../../job/rules/rule-spec.ts";
import { quoted } from "../../problem.ts";
import type { Places } from "../compile-document.ts";
import type { LintDrain } from "./lint-view.ts";
import { judgePatterns } from "./pattern-checks.ts";
import { valueAt, type Raw, type Report, type Warn } from "./raw-document.ts";

/** Reports what a rule asks for and no record can have, and warns of what a list asks for in vain. */
export function checkWhens(
  drain: LintDrain,
  { places, document }: { readonly places: Places; readonly document: Raw },
  { report, warn }: { readonly report: Report; readonly warn: Warn },
): void {
  for (const [index, rule] of drain.rules.entries()) {
    const when = ["drains", drain.name, "rules", index, "when"];
    const refused = new Set<Leaf>();
    for (const leaf of leavesOf(rule.readable)) {
      const place = places.get(leaf) ?? when;
      const misfit = judgePatterns(leaf);
      if (misfit !== null && !misfit.isWhole) warn(place, misfit.message);
      if (misfit?.isWhole === true) {
        report(place, "key", misfit.message);
        refused.add(leaf);
      } else if (leaf.kind === "text" && leaf.field === "host") {
        for (const text of [valueAt(document, place)].flat()) {
          const slip = typeof text === "string" ? slipOf(text) : null;
          if (slip !== null) report(place, "key", slip);
        }
      }
    }
    for (const clash of clashesIn(rule.readable)) {
      if (refused.has(clash.test) || refused.has(clash.other)) continue;
      const expected = "tests that one record can pass, or any: [ … ] for either";
      const message = `can never match beside ${describeCondition(clash.other)}; expected ${expected}`;
      report(places.get(clash.test) ?? when, "key", message);
    }
  }
}

function clashesIn(condition: Condition): readonly NonNullable<ReturnType<typeof findClash>>[] {
  const clash = findClash(condition);
  if (clash !== null) return [clash];
  if (condition.kind === "not") return clashesIn(condition.of);
  return condition.kind === "all" ? condition.of.flatMap(clashesIn) : [];
}

/** Why nothing has this host as it is written, and what may be meant. `equals` asks for it all the same. */
function slipOf(text: string): string | null {
  const slip = slipInHost(text);
  if (slip === null) return null;
  const proposed = /^\.+[^.]/.test(text) ? `*.${text.replace(/^\.+/, "")}` : "";
  const isGood = proposed !== "" && slipInHost(proposed) === null;
  const expected = `expected a host such as ${isGood ? proposed : "api.example.com"}`;
  return `no receiver has this host: ${slip}; ${expected}, or { equals: … } if this very text is meant, got ${quoted(text)}`;
}
