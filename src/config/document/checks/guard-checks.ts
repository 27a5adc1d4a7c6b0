import { oneOfText, unknownName, type ValuePath } from "../../problem.ts";
import { parseHold, parseResume } from "../schema/guard-schema.ts";
import { asMap } from "./raw-document.ts";
import type { Report } from "./report-problem.ts";

export function checkGuards(
  guards: readonly unknown[],
  indexes: readonly string[],
  path: ValuePath,
  report: Report,
): void {
  for (const [position, value] of guards.entries()) {
    const guard = asMap(value);
    const { index } = guard;
    if (typeof index === "string" && !indexes.includes(index)) {
      const expected = indexes.length === 0 ? "an index under indexes, which are none" : oneOfText(indexes);
      report([...path, position, "index"], "value", unknownName("index", index, indexes, expected));
    }
    checkResume(guard["hold"], guard["resume"], [...path, position, "resume"], report);
  }
}

function checkResume(holdText: unknown, resumeText: unknown, path: ValuePath, report: Report): void {
  const hold = parseHold(holdText);
  const resume = parseResume(resumeText);
  if (!hold.ok || !resume.ok) return;
  const { field } = resume.value;
  if (field !== null && field !== hold.value.field) {
    report(path, "value", `expected a comparison of ${hold.value.field}, as in hold, got ${field}`);
    return;
  }
  const [one, other] = [hold.value.pattern, resume.value.pattern];
  if (one.from <= other.to && other.from <= one.to) {
    const why = "a guard that holds and resumes at once would do neither";
    report(path, "value", `expected a comparison that no number has in common with hold: ${why}`);
  }
}
