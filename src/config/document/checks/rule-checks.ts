import { quoted, type ValuePath } from "../../problem.ts";
import { asMap, type Raw } from "./raw-document.ts";
import type { Report } from "./report-problem.ts";

const otherActions: readonly unknown[] = ["drop", "hold", "park"];

/** Stands for "no rule" where a test expects that. */
export const noRule = "none";

/** `mayDrop`: a plan, or there is an archive. `withoutRetry`: the source, if it may not publish `via: service`. */
export function checkRules(
  rules: readonly unknown[],
  mayDrop: boolean,
  withoutRetry: string | null,
  path: ValuePath,
  report: Report,
): void {
  const seen = new Map<unknown, number>();
  for (const [index, value] of rules.entries()) {
    const rule = asMap(value);
    const here = [...path, index];
    const name = rule["name"] ?? defaultRuleName(index);
    if (name === noRule) report([...here, "name"], "value", "expected another name: none stands for no rule");
    const first = seen.get(name);
    if (first === undefined) seen.set(name, index);
    else if (typeof name === "string") {
      const message = `expected another name than rules[${first}] of this drain, got ${quoted(name)}`;
      report([...here, "name"], "value", message);
    }
    checkAction(rule, mayDrop, here, report);
    checkChanges(rule, here, report);
    checkVia(rule, withoutRetry, here, report);
  }
}

export function defaultRuleName(index: number): string {
  return `rule-${index + 1}`;
}

function checkAction(rule: Raw, mayDrop: boolean, path: ValuePath, report: Report): void {
  const { then, when } = rule;
  if ((then === "republish" || then === "drop") && when === undefined) {
    const expected = "when beside republish and drop; when: any says it of every record on purpose";
    report(path, "key", `missing when; expected ${expected}`);
  }
  if (then === "drop" && !mayDrop) {
    const message =
      "a live drain drops only what is archived first, and the document has no archive; expected archive: { dir: … } at its top";
    report([...path, "then"], "value", message);
  }
  for (const key of ["limit", "set", "via"]) {
    if (rule[key] === undefined || !otherActions.includes(then)) continue;
    report([...path, key], "key", `expected ${key} only beside then: republish`);
  }
}

function checkVia(rule: Raw, withoutRetry: string | null, path: ValuePath, report: Report): void {
  if (rule["via"] === undefined) return;
  if (rule["set"] !== undefined) {
    const why = "the service's own retry sends a message as it was";
    report([...path, "set"], "key", `expected either set or via: ${why}`);
  }
  if (withoutRetry === null) return;
  const setting = `sources.${withoutRetry}.serviceRetry: true`;
  const message = `the service's own retry is off, as ${setting} is not set; expected that setting, or no via`;
  report([...path, "via"], "value", message);
}

function checkChanges(rule: Raw, path: ValuePath, report: Report): void {
  if (rule["set"] === undefined) return;
  const set = asMap(rule["set"]);
  if (typeof set["queue"] === "string" && set["delay"] !== undefined) {
    // remote-contract: a delay together with a queue is refused by the service.
    const why = "the service refuses both together";
    report([...path, "set", "delay"], "key", `expected either queue or delay: ${why}`);
  }
  const seen = new Set<string>();
  for (const header of Object.keys(asMap(set["headers"]))) {
    const lower = header.toLowerCase();
    if (seen.has(lower)) {
      report([...path, "set", "headers", header], "key", "expected each header once, in whatever case");
    }
    seen.add(lower);
  }
}
