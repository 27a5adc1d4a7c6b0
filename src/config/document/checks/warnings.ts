import { defined } from "../../../message/defined.ts";
import type { Select } from "../../../ports/service.ts";
import { toPathText, type Problem, type ValuePath } from "../../problem.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";
import { asMap, type Raw } from "../schema/raw.ts";
import { warnAboutComeBacks } from "./come-back-warnings.ts";
import type { LintDrain, LintView, Warn } from "./lint-view.ts";
import { warnAboutPace } from "./pace-warnings.ts";
import { findRetentionConflicts } from "./retention-checks.ts";
import { warnAboutRules } from "./rule-warnings.ts";

/** What loads and is probably not meant. `now` in Unix ms; without it no date is judged. */
export function findWarnings(
  view: LintView,
  tree: YamlTree,
  file: string,
  now: number | undefined,
): readonly Problem[] {
  const warnings: Problem[] = [];
  const warn: Warn = (path, expected, message, found) => {
    warnings.push({
      file,
      ...tree.locate(path, "key"),
      path: toPathText(path),
      ...defined({ found }),
      expected,
      message,
    });
  };
  const { archive, places } = view;
  const raw = asMap(tree.value);
  const drains = asMap(raw["drains"]);
  for (const [index, drain] of view.drains.entries()) {
    warnAboutOverlap(drain, view.drains.slice(0, index), warn);
    warnAboutRules(drain, { archive, places, now }, warn);
    const others = view.drains.filter((other) => other !== drain && sharesSource(other, drain));
    const takesRest = others.some(({ name }) => selectsAll(asMap(drains[name])));
    warnAboutComeBacks(drain, takesRest, warn);
    warnAboutPace(drain, rateAt(drains, drain.name), warn);
    if (!archive) warnAboutCopies(drains[drain.name], ["drains", drain.name], warn);
  }
  if (!archive) warnAboutCopies(raw["defaults"], ["defaults"], warn);
  for (const { kind, path, problem } of findRetentionConflicts(raw)) {
    if (kind === "warned") warn(path, problem.expected, problem.message, problem.found);
  }
  return warnings;
}

/** Where the rate of a drain's flow control is written, if it is. */
function rateAt(drains: Raw, name: string): ValuePath {
  const isOwn = asMap(asMap(drains[name])["flowControl"])["rate"] !== undefined;
  return [...(isOwn ? ["drains", name] : ["defaults"]), "flowControl", "rate"];
}

function sharesSource(one: LintDrain, other: LintDrain): boolean {
  return one.source !== null && one.source.id === other.source?.id;
}

/** Without filters and without dates. */
function selectsAll(drain: Raw): boolean {
  return Object.keys(asMap(drain["select"])).length === 0;
}

function warnAboutOverlap(drain: LintDrain, earlier: readonly LintDrain[], warn: Warn): void {
  const names = earlier.filter((one) => mayOverlap(one, drain)).map(({ name }) => name);
  if (names.length === 0) return;
  const shown =
    names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ");
  const expected = "select lists that have no value in common";
  const message = `may select the same records as ${shown}: whichever drain comes first decides; expected ${expected}`;
  warn(["drains", drain.name], expected, message);
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
 * Filters by one value of a record: two selections with different values of one of them share no record. A
 * label is not among them, because a message may have several.
 */
const singleValued = ["url", "topicName", "scheduleId", "queueName", "responseStatus", "callerIp"] as const;

function mayOverlap(one: LintDrain, other: LintDrain): boolean {
  if (one.source === null || other.source === null || one.select === null || other.select === null)
    return false;
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
