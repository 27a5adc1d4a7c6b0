import type { DrainConfig, DrainsDocument } from "../../ports/drains.ts";
import type { Select } from "../../ports/service.ts";
import { toPathText, type Problem, type ValuePath } from "../problem.ts";
import type { YamlTree } from "../text/yaml-tree.ts";
import { asMap } from "./raw.ts";
import { warnAboutRules, type Warn } from "./rule-warnings.ts";

/** Of patterns with each other: some tenths of a second. What a larger document hides beyond it is not told. */
const mostComparisons = 2_000_000;

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
  const archive = document.archive !== undefined;
  const raw = asMap(tree.value);
  const drains = asMap(raw["drains"]);
  const budget = { left: mostComparisons };
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
    warnAboutRules(drain, archive, now, budget, warn);
    if (!archive) warnAboutCopies(drains[drain.name], ["drains", drain.name], warn);
  }
  if (!archive) warnAboutCopies(raw["defaults"], ["defaults"], warn);
  return warnings;
}

/** A copy that was asked for in so many words, and that there is no place for. */
function warnAboutCopies(asked: unknown, path: ValuePath, warn: Warn): void {
  if (asMap(asMap(asked)["beforeExpiry"])["then"] !== "archive") return;
  warn(
    [...path, "beforeExpiry", "then"],
    "archive: { dir: … } at the top of the document",
    "copies nothing: the document has no archive",
  );
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
