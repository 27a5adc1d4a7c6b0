import type { DrainConfig, DrainsDocument } from "../../ports/drains.ts";
import type { Select } from "../../ports/service.ts";
import { toPathText, type Problem, type ValuePath } from "../problem.ts";
import type { YamlTree } from "../text/yaml-tree.ts";

/** What loads and is probably not meant. `now` in Unix ms; without it no date is judged. */
export function findWarnings(
  document: DrainsDocument,
  tree: YamlTree,
  file: string,
  now: number | undefined,
): readonly Problem[] {
  const warnings: Problem[] = [];
  const warn = (path: ValuePath, expected: string, message: string): void => {
    warnings.push({ file, ...tree.locate(path, "key"), path: toPathText(path), expected, message });
  };
  for (const [index, drain] of document.drains.entries()) {
    const overlapping = document.drains.slice(0, index).filter((earlier) => mayOverlap(earlier, drain));
    if (overlapping.length > 0) {
      const names = overlapping.map((earlier) => earlier.name);
      const shown =
        names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");
      const expected = "select lists that have no value in common";
      const message = `may select the same records as ${shown}: whichever drain comes first decides; expected ${expected}`;
      warn(["drains", drain.name], expected, message);
    }
    warnAboutRules(drain, now, warn);
  }
  return warnings;
}

function warnAboutRules(
  drain: DrainConfig,
  now: number | undefined,
  warn: (path: ValuePath, expected: string, message: string) => void,
): void {
  const path = ["drains", drain.name, "rules"];
  const last = drain.rules.findIndex((rule) => rule.when.kind === "any" && rule.ignoreAfter === undefined);
  for (const [index, rule] of drain.rules.entries()) {
    if (last !== -1 && index > last) {
      const expected = "rules without when, or when: any, last";
      warn(
        [...path, index],
        expected,
        `is never asked: rule "${drain.rules[last]?.name}" above it holds for every record`,
      );
    }
    if (now !== undefined && rule.ignoreAfter !== undefined && rule.ignoreAfter < now) {
      const since = new Date(rule.ignoreAfter).toISOString();
      warn(
        [...path, index, "ignoreAfter"],
        "a date to come, or no such rule",
        `is skipped: its ignoreAfter ${since} has passed`,
      );
    }
  }
}

/**
 * Filters by one value of a record: two selections with different values of one of them share no record. A label is not
 * among them, because a message may have several.
 */
const singleValued = ["url", "topicName", "scheduleId", "queueName", "responseStatus", "callerIp"] as const;

function mayOverlap(one: DrainConfig, other: DrainConfig): boolean {
  return one.source.id === other.source.id && !areDisjoint(one.select, other.select);
}

function areDisjoint(one: Select, other: Select): boolean {
  if (one.messageId !== undefined && other.messageId !== undefined && one.messageId !== other.messageId)
    return true;
  return singleValued.some((key) => {
    const values = one[key];
    const others = other[key];
    if (values === undefined || others === undefined) return false;
    const seen = new Set<string | number>(values);
    return others.every((value) => !seen.has(value));
  });
}
