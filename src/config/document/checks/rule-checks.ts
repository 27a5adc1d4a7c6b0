import { quoted, type ValuePath } from "../../problem.ts";
import { asMap, type Raw, type Report } from "../schema/raw.ts";

const actions: readonly unknown[] = ["republish", "drop", "hold", "park"];

export interface Acting {
  readonly mode: "plan" | "live";
  /** Whether the document has an archive. */
  readonly archive: boolean;
}

/** Stands for "no rule" where a test expects that. */
export const noRule = "none";

/** What the keys of a rule, and the rules of a drain, mean together. */
export function checkRules(rules: readonly unknown[], acting: Acting, path: ValuePath, report: Report): void {
  const seen = new Map<string, number>();
  for (const [index, value] of rules.entries()) {
    const rule = asMap(value);
    const here = [...path, index];
    checkName(rule["name"] ?? defaultRuleName(index), index, seen, here, report);
    checkAction(rule, acting, here, report);
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
  if (name === noRule) {
    report([...path, "name"], "value", "another name: none stands for no rule", { found: quoted(name) });
  }
  const first = seen.get(name);
  if (first === undefined) {
    seen.set(name, index);
    return;
  }
  const found = quoted(name);
  const expected = `another name than rules[${first}] of this drain`;
  report([...path, "name"], "value", expected, { found, behind: `, got ${found}` });
}

function checkAction(rule: Raw, { mode, archive }: Acting, path: ValuePath, report: Report): void {
  const { then, when } = rule;
  if ((then === "republish" || then === "drop") && when === undefined) {
    const expected = "when beside republish and drop; when: any says it of every record on purpose";
    report(path, "key", expected, { message: `missing when; expected ${expected}` });
  }
  if (then === "drop" && mode === "live" && !archive) {
    const expected = "archive: { dir: … } at the top of the document, or republish, hold or park";
    const message =
      "a live drain drops only what is archived first, and the document has no archive; expected archive: { dir: … } at its top";
    report([...path, "then"], "value", expected, { found: quoted("drop"), message });
  }
  if (rule["limit"] !== undefined && actions.some((action) => action !== "republish" && action === then)) {
    report([...path, "limit"], "key", "limit only beside then: republish");
  }
}

function checkChanges(rule: Raw, path: ValuePath, report: Report): void {
  if (rule["set"] === undefined) return;
  const set = asMap(rule["set"]);
  if (actions.some((action) => action !== "republish" && action === rule["then"])) {
    report([...path, "set"], "key", "set only beside then: republish");
  }
  if (typeof set["queue"] === "string" && set["delay"] !== undefined) {
    // remote-contract: a delay together with a queue is refused by the service.
    report([...path, "set", "delay"], "key", "either queue or delay", {
      behind: ": the service refuses both together",
    });
  }
  const seen = new Set<string>();
  for (const header of Object.keys(asMap(set["headers"]))) {
    const lower = header.toLowerCase();
    if (seen.has(lower)) {
      report([...path, "set", "headers", header], "key", "each header once, in whatever case");
    }
    seen.add(lower);
  }
}
