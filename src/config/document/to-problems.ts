import type * as z from "zod";
import { oneOfText, shownValue, toPathText, unknownName, type Problem, type ValuePath } from "../problem.ts";
import type { YamlTree } from "../text/yaml-tree.ts";
import { aboutCount, atKey } from "./schema/shapes.ts";

type Issue = z.core.$ZodIssue;

/** Paths with more members than allowed. Problems of the members themselves are left out. */
export function findOverfull(issues: readonly Issue[], tree: YamlTree): readonly ValuePath[] {
  return [...flatten(issues, [], tree)].filter(({ issue }) => isAboutCount(issue)).map(({ path }) => path);
}

/** Turns what zod found into problems with positions. */
export function toProblems(issues: readonly Issue[], tree: YamlTree, file: string): Problem[] {
  const problems: Problem[] = [];
  const overfull = findOverfull(issues, tree);
  for (const { path, issue } of flatten(issues, [], tree)) {
    if (!isAboutCount(issue) && overfull.some((above) => startsWith(path, above))) continue;
    if (issue.code === "unrecognized_keys") {
      const known = issue.message.split(",");
      for (const key of issue.keys) {
        problems.push({
          file,
          ...tree.locate([...path, key], "key"),
          path: toPathText(path),
          expected: oneOfText(known),
          message: unknownName("key", key, known),
        });
      }
      continue;
    }
    problems.push({
      file,
      ...tree.locate(path, isAboutKey(issue) ? "key" : "value"),
      path: toPathText(path),
      ...toSentence(issue, path, tree),
    });
  }
  return problems;
}

function startsWith(path: ValuePath, above: ValuePath): boolean {
  return above.every((segment, index) => path[index] === segment);
}

function toSentence(
  issue: Issue,
  path: ValuePath,
  tree: YamlTree,
): Pick<Problem, "found" | "expected" | "message"> {
  if (isRefusedKey(issue)) return { expected: "no such key", message: `this key is ${issue.message}` };
  if (issue.code === "invalid_key") {
    const expected = issue.issues[0]?.message ?? "another key";
    return { expected, message: `expected ${expected}` };
  }
  const expected = issue.message;
  if (isAboutKey(issue)) {
    const found = shownValue(path.at(-1));
    return { found, expected, message: `expected ${expected}, got ${found}` };
  }
  const value = valueAt(tree.value, path);
  if (value === undefined) return { expected, message: `missing; expected ${expected}` };
  // A limit that a parser keeps is reported as those of the schema are.
  if (typeof value === "object" && value !== null && /^at most \d+ /.test(expected)) {
    const found = String(Object.keys(value).length);
    return { found, expected, message: `expected ${expected}, got ${found}` };
  }
  if (isSecretive(path)) return { expected, message: `expected ${expected}` };
  const found = shownValue(value);
  return { found, expected, message: `expected ${expected}, got ${found}` };
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
function isSecretive(path: ValuePath): boolean {
  const secretive = new Set([
    "token",
    "credentials",
    "callbacks",
    "headers",
    "header",
    "responseHeader",
    "callbackHeader",
    "failureCallbackHeader",
    "url",
    "destination",
    "callback",
    "failureCallback",
    "merge",
    "value",
  ]);
  return path.some((segment) => typeof segment === "string" && secretive.has(segment));
}

/**
 * A union's issue holds one list of issues per alternative. The alternative that was meant is the one that
 * accepts the kind of value that is there, so its issues lie deeper or name keys; without one, the union
 * speaks for itself.
 */
function* flatten(
  issues: readonly Issue[],
  base: ValuePath,
  tree: YamlTree,
): Generator<{ readonly path: ValuePath; readonly issue: Issue }> {
  for (const issue of issues) {
    const path = [...base, ...issue.path.filter((segment) => typeof segment !== "symbol")];
    const meant =
      issue.code === "invalid_union"
        ? issue.errors.find((errors) =>
            errors.every(
              (error) => error.path.length > 0 || error.code === "unrecognized_keys" || isAboutCount(error),
            ),
          )
        : undefined;
    if (meant === undefined) yield { path, issue };
    else yield* flatten(meant, path, tree);
  }
}

/** The value at a path; undefined when there is none. */
function valueAt(value: unknown, path: ValuePath): unknown {
  let current = value;
  for (const segment of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = (current as Record<string | number, unknown>)[segment];
  }
  return current;
}
