import type * as z from "zod";
import { isToken } from "../../job/message/headers.ts";
import { misfit, oneOfText, shownValue, unknownName, type Problem, type ValuePath } from "../problem.ts";
import type { YamlTree } from "../text/yaml-tree.ts";
import { valueAt } from "./checks/raw-document.ts";
import { proposePointer } from "./schema/propose-pointer.ts";
import { aboutCount, atKey } from "./schema/building-blocks.ts";

type Issue = z.core.$ZodIssue;

export interface Misfits {
  readonly problems: readonly Problem[];
  /** Paths with more members than allowed. Problems of the members themselves are left out. */
  readonly overfull: readonly ValuePath[];
}

export function toMisfits(found: readonly Issue[], tree: YamlTree): Misfits {
  const issues = [...flatten(found, [])];
  const overfull = issues.filter(({ issue }) => isAboutCount(issue)).map(({ path }) => path);
  const isLeftOut = ({ path, issue }: PlacedIssue): boolean =>
    !isAboutCount(issue) &&
    overfull.some((above) => above.every((segment, index) => path[index] === segment));
  const problems = issues.filter((one) => !isLeftOut(one)).flatMap((one) => toProblems(one, tree));
  return { problems, overfull };
}

interface PlacedIssue {
  readonly path: ValuePath;
  readonly issue: Issue;
}

function toProblems({ path, issue }: PlacedIssue, tree: YamlTree): readonly Problem[] {
  if (issue.code !== "unrecognized_keys") {
    return [tree.problemAt(path, isAboutKey(issue) ? "key" : "value", toSentence(issue, path, tree))];
  }
  const known = issue.message.split(",");
  const isWhen = known.includes("responseBody") && known.includes("not");
  return issue.keys.map((key) => {
    const message = unknownName("key", key, known, oneOfText(known), isWhen ? whereElse(key) : undefined);
    return tree.problemAt([...path, key], "key", message, path);
  });
}

function whereElse(key: string): string {
  const inBody = `body: { ${JSON.stringify(proposePointer(key.slice(0, 60)) ?? "/name").slice(1, -1)}: … }`;
  return isToken(key) && key.length <= 60 ? ` ask header: { ${key}: … } or ${inBody};` : ` ask ${inBody};`;
}

function toSentence(issue: Issue, path: ValuePath, tree: YamlTree): string {
  // What zod says by itself of a value that may be anything and is not there.
  const isNotThere = issue.code === "invalid_type" && issue.expected === "nonoptional";
  const expected = isNotThere ? "a value" : issue.message;
  if (isRefusedKey(issue)) return `this key is ${expected}`;
  if (issue.code === "invalid_key") return misfit(issue.issues[0]?.message ?? "another key");
  if (isAboutKey(issue)) return misfit(expected, shownValue(path.at(-1)));
  const value = valueAt(tree.value, path);
  if (value === undefined) return `missing; expected ${expected}`;
  // A limit that a parser keeps is reported as those of the schema are.
  if (typeof value === "object" && value !== null && /^at most \d+ /.test(expected)) {
    return misfit(expected, String(Object.keys(value).length));
  }
  const isSecretive = path.some((segment) => secretiveKey.test(String(segment)));
  return misfit(expected, isSecretive ? undefined : shownValue(value));
}

function isAboutKey(issue: Issue): boolean {
  const marked = issue.code === "custom" && issue.params?.["part"] === atKey.part;
  return marked || issue.code === "invalid_key" || isRefusedKey(issue);
}

function isAboutCount(issue: Issue): boolean {
  if (issue.code === "custom") return issue.params?.["part"] === aboutCount.part;
  return issue.code === "too_big" && issue.origin === "array";
}

function isRefusedKey(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.expected === "never";
}

/** Credentials and header values are never repeated; addresses may carry credentials. */
const secretiveKey =
  /^(token|secret|credentials|headers?|(response|callback|failureCallback)Header|url|destination|callbacks?|failureCallback|merge|value)$/;

/**
 * A union's issue holds one list of issues per alternative. The alternative that was meant is the one that accepts the
 * kind of value that is there, so its issues lie deeper or name keys; without one, the union speaks for itself.
 */
function* flatten(issues: readonly Issue[], base: ValuePath): Generator<PlacedIssue> {
  const isInside = (issue: Issue): boolean =>
    issue.path.length > 0 || issue.code === "unrecognized_keys" || isAboutCount(issue);
  for (const issue of issues) {
    const path = [...base, ...issue.path.filter((segment) => typeof segment !== "symbol")];
    const alternatives = issue.code === "invalid_union" ? issue.errors : [];
    const meant = alternatives.find((errors) => errors.every(isInside));
    if (meant === undefined) yield { path, issue };
    else yield* flatten(meant, path);
  }
}
