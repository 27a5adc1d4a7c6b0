import { quoted, type ValuePath } from "../problem.ts";
import { asMap, type Raw, type Report } from "./raw.ts";

/** What the keys of a rule, and the rules of a drain, mean together. */
export function checkRules(
  rules: readonly unknown[],
  mode: "plan" | "live",
  path: ValuePath,
  report: Report,
): void {
  const seen = new Map<string, number>();
  for (const [index, value] of rules.entries()) {
    const rule = asMap(value);
    const here = [...path, index];
    checkName(rule["name"] ?? defaultRuleName(index), index, seen, here, report);
    checkAction(rule, mode, here, report);
    checkChanges(rule, here, report);
  }
}

/** The name of a rule that has none, by its position from 1. */
export function defaultRuleName(index: number): string {
  return `rule-${index + 1}`;
}

function checkName(
  name: unknown,
  index: number,
  seen: Map<string, number>,
  path: ValuePath,
  report: Report,
): void {
  if (typeof name !== "string") return;
  const first = seen.get(name);
  if (first === undefined) {
    seen.set(name, index);
    return;
  }
  const expected = `another name than rules[${first}] of this drain`;
  report([...path, "name"], "value", {
    expected,
    found: quoted(name),
    message: `expected ${expected}, got ${quoted(name)}`,
  });
}

function checkAction(rule: Raw, mode: "plan" | "live", path: ValuePath, report: Report): void {
  const { then, when } = rule;
  if ((then === "republish" || then === "drop") && when === undefined) {
    const expected = "when beside republish and drop; when: any says it of every record on purpose";
    report(path, "key", { expected, message: `missing when; expected ${expected}` });
  }
  if (then === "drop" && mode === "live") {
    const expected = "republish, hold or park in a live drain";
    const message =
      "drop needs the archive, which this version does not have; it can only be tried in mode plan";
    report([...path, "then"], "value", { expected, found: quoted("drop"), message });
  }
}

function checkChanges(rule: Raw, path: ValuePath, report: Report): void {
  if (rule["set"] === undefined) return;
  const set = asMap(rule["set"]);
  const known = ["republish", "drop", "hold", "park"];
  if (rule["then"] !== "republish" && known.some((action) => action === rule["then"])) {
    const expected = "set only beside then: republish";
    report([...path, "set"], "key", { expected, message: `expected ${expected}` });
  }
  if (set["queue"] !== undefined && set["delay"] !== undefined) {
    const expected = "either queue or delay";
    // remote-contract: a delay together with a queue is refused by the service.
    report([...path, "set", "delay"], "key", {
      expected,
      message: `expected ${expected}: the service refuses both together`,
    });
  }
  const seen = new Set<string>();
  for (const header of Object.keys(asMap(set["headers"]))) {
    const lower = header.toLowerCase();
    if (seen.has(lower)) {
      const expected = "each header once, in whatever case";
      report([...path, "set", "headers", header], "key", { expected, message: `expected ${expected}` });
    }
    seen.add(lower);
  }
}
