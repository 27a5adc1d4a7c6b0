/** What the keys of a rule, a test or a guard mean together, and those beside them in their list. */
import { oneOfText, quoted, unknownName } from "../../problem.ts";
import { parseHold, parseResume } from "../schema/guard-schema.ts";
import { asMap, below, type Raw, type Report } from "./raw-document.ts";

const otherActions: readonly unknown[] = ["drop", "hold", "park"];

/** Stands for "no rule" where a test expects that. */
export const noRule = "none";

export function defaultRuleName(index: number): string {
  return `rule-${index + 1}`;
}

/** `mayDrop`: a plan, or there is an archive. `withoutRetry`: the source, if it may not publish `via: service`. */
export function checkRules(
  rules: readonly unknown[],
  { mayDrop, withoutRetry }: { readonly mayDrop: boolean; readonly withoutRetry: string | null },
  report: Report,
): void {
  const seen = new Map<unknown, number>();
  for (const [index, value] of rules.entries()) {
    const rule = asMap(value);
    const at = below(report, index);
    const name = rule["name"] ?? defaultRuleName(index);
    if (name === noRule) at(["name"], "value", "expected another name: none stands for no rule");
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else if (typeof name === "string") {
      at(["name"], "value", `expected another name than rules[${first}] of this drain, got ${quoted(name)}`);
    }
    checkAction(rule, mayDrop, at);
    checkChanges(asMap(rule["set"]), below(at, "set"));
    if (rule["via"] !== undefined) checkVia(rule, withoutRetry, at);
  }
}

function checkAction(rule: Raw, mayDrop: boolean, report: Report): void {
  const { then, when } = rule;
  if ((then === "republish" || then === "drop") && when === undefined) {
    const expected = "when beside republish and drop; when: any says it of every record on purpose";
    report([], "key", `missing when; expected ${expected}`);
  }
  if (then === "drop" && !mayDrop) {
    const why = "a live drain drops only what is archived first, and the document has no archive";
    report(["then"], "value", `${why}; expected archive: { dir: … } at its top`);
  }
  for (const key of ["limit", "set", "via"]) {
    if (rule[key] === undefined || !otherActions.includes(then)) continue;
    report([key], "key", `expected ${key} only beside then: republish`);
  }
}

function checkVia(rule: Raw, withoutRetry: string | null, report: Report): void {
  if (rule["set"] !== undefined) {
    const why = "the service's own retry sends a message as it was";
    report(["set"], "key", `expected either set or via: ${why}`);
  }
  if (withoutRetry === null) return;
  const setting = `sources.${withoutRetry}.serviceRetry: true`;
  const why = `the service's own retry is off, as ${setting} is not set`;
  report(["via"], "value", `${why}; expected that setting, or no via`);
}

function checkChanges(set: Raw, report: Report): void {
  if (typeof set["queue"] === "string" && set["delay"] !== undefined) {
    // remote-contract: a delay together with a queue is refused by the service.
    report(["delay"], "key", "expected either queue or delay: the service refuses both together");
  }
  const seen = new Set<string>();
  for (const header of Object.keys(asMap(set["headers"]))) {
    const lower = header.toLowerCase();
    if (seen.has(lower)) report(["headers", header], "key", "expected each header once, in whatever case");
    seen.add(lower);
  }
}

const onlyOneOf = [
  ["age", "dlqId"],
  ["messageAge", "createdAt"],
  ["callerIp", "callerIP"],
  ["label", "labels"],
] as const;

export function checkRuleTests(tests: readonly unknown[], rules: readonly unknown[], report: Report): void {
  const names = rules.map((rule, index) => asMap(rule)["name"] ?? defaultRuleName(index));
  const known = names.filter((name) => typeof name === "string");
  const seen = new Set<unknown>();
  for (const [index, value] of tests.entries()) {
    const { name, given, expect } = asMap(value);
    const at = below(report, index);
    if (typeof name === "string" && seen.has(name)) {
      at(["name"], "value", "expected another name than a test above it");
    }
    seen.add(name);
    for (const [one, other] of onlyOneOf) {
      if (asMap(given)[one] === undefined || asMap(given)[other] === undefined) continue;
      at(["given", other], "key", `expected either ${one} or ${other}, got both`);
    }
    const { rule, then, item } = asMap(expect);
    if (typeof rule === "string" && rule !== noRule && !known.includes(rule)) {
      at(["expect", "rule"], "value", unknownName("rule", rule, known, oneOfText([...known, noRule])));
    }
    if (item !== undefined && then !== undefined && then !== "republish") {
      at(["expect", "item"], "key", "expected item only beside then: republish");
    }
  }
}

export function checkGuards(guards: readonly unknown[], indexes: readonly string[], report: Report): void {
  for (const [position, value] of guards.entries()) {
    const { index, hold, resume } = asMap(value);
    if (typeof index === "string" && !indexes.includes(index)) {
      const expected = indexes.length === 0 ? "an index under indexes, which are none" : oneOfText(indexes);
      report([position, "index"], "value", unknownName("index", index, indexes, expected));
    }
    const expected = misfitOfResume(hold, resume);
    if (expected !== null) report([position, "resume"], "value", `expected a comparison ${expected}`);
  }
}

function misfitOfResume(holdText: unknown, resumeText: unknown): string | null {
  const hold = parseHold(holdText);
  const resume = parseResume(resumeText);
  if (!hold.ok || !resume.ok) return null;
  const { field, pattern: ends } = resume.value;
  const { field: heldField, pattern: holds } = hold.value;
  if (field !== null && field !== heldField) return `of ${heldField}, as in hold, got ${field}`;
  return holds.from <= ends.to && ends.from <= holds.to
    ? "that no number has in common with hold: a guard that holds and resumes at once would do neither"
    : null;
}
