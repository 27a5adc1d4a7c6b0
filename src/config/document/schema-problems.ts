import type * as z from "zod";
import { isToken } from "../../job/message/headers.ts";
import { isObject } from "../../job/message/json-value.ts";
import {
  misfit,
  oneOfText,
  shownValue,
  toPathText,
  unknownName,
  type Problem,
  type ValuePath,
} from "../problem.ts";
import type { YamlTree } from "../text/yaml-tree.ts";
import { asMap, valueAt } from "./checks/raw-document.ts";
import { drain as drainSchema } from "./schema/drain-schema.ts";
import { proposePointer } from "./schema/propose-pointer.ts";
import { aboutCount, atKey } from "./schema/building-blocks.ts";

type Issue = z.core.$ZodIssue;

export interface Misfits {
  readonly problems: readonly Problem[];
  /** Names below `drains` that are no drains. */
  readonly strays: readonly string[];
  /** Paths with more members than allowed. Problems of the members themselves are left out. */
  readonly overfull: readonly ValuePath[];
}

/** What zod found, as problems with positions. One problem for each stray key replaces those of its value. */
export function toMisfits(found: readonly Issue[], tree: YamlTree, file: string): Misfits {
  const issues = [...flatten(found, [], tree)];
  const overfull = issues.filter(({ issue }) => isAboutCount(issue)).map(({ path }) => path);
  const strays = findStrayKeys(tree.value);
  const strayPaths = strays.map((name) => ["drains", name]);
  const isLeftOut = ({ path, issue }: PlacedIssue): boolean =>
    strayPaths.some((above) => startsWith(path, above)) ||
    (!isAboutCount(issue) && overfull.some((above) => startsWith(path, above)));
  const problems = [
    ...strays.map((name) => toStrayProblem(name, tree, file)),
    ...issues.filter((one) => !isLeftOut(one)).flatMap((one) => toProblems(one, tree, file)),
  ];
  return { problems, strays, overfull };
}

interface PlacedIssue {
  readonly path: ValuePath;
  readonly issue: Issue;
}

function toProblems({ path, issue }: PlacedIssue, tree: YamlTree, file: string): readonly Problem[] {
  if (issue.code !== "unrecognized_keys") {
    const place = tree.locate(path, isAboutKey(issue) ? "key" : "value");
    return [{ file, ...place, path: toPathText(path), ...toSentence(issue, path, tree) }];
  }
  const known = issue.message.split(",");
  const isWhen = known.includes("responseBody") && known.includes("not");
  return issue.keys.map((key) => ({
    file,
    ...tree.locate([...path, key], "key"),
    path: toPathText(path),
    message: unknownName("key", key, known, oneOfText(known), isWhen ? whereElse(key) : undefined),
  }));
}

/** A record has no field of this name, but its headers or its body may. */
function whereElse(key: string): string {
  const inBody = `body: { ${JSON.stringify(proposePointer(key.slice(0, 60)) ?? "/name").slice(1, -1)}: … }`;
  return isToken(key) && key.length <= 60 ? ` ask header: { ${key}: … } or ${inBody};` : ` ask ${inBody};`;
}

const drainKeys = Object.keys(drainSchema.shape);

/**
 * Names below `drains` that are keys of a drain, two spaces too shallow: their values are no drains. A drain
 * may still be called `rules` if its value is one.
 */
function findStrayKeys(document: unknown): readonly string[] {
  return Object.entries(asMap(asMap(document)["drains"]))
    .filter(([name, value]) => drainKeys.includes(name) && !looksLikeDrain(value))
    .map(([name]) => name);
}

function looksLikeDrain(value: unknown): boolean {
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length === 0 || keys.some((key) => drainKeys.includes(key));
}

function toStrayProblem(name: string, tree: YamlTree, file: string): Problem {
  const drains = Object.keys(asMap(asMap(tree.value)["drains"])).filter(
    (other) => !drainKeys.includes(other),
  );
  const where = drains.length === 0 ? "a drain" : `a drain (${oneOfText(drains)})`;
  return {
    file,
    ...tree.locate(["drains", name], "key"),
    path: "drains",
    message: `${name} is a key of a drain and stands beside the drains; expected it below ${where}, two spaces deeper`,
  };
}

function startsWith(path: ValuePath, above: ValuePath): boolean {
  return above.every((segment, index) => path[index] === segment);
}

function toSentence(issue: Issue, path: ValuePath, tree: YamlTree): Pick<Problem, "message"> {
  const expected = issue.message;
  if (isRefusedKey(issue)) return { message: `this key is ${expected}` };
  if (issue.code === "invalid_key") return misfit(issue.issues[0]?.message ?? "another key");
  if (isAboutKey(issue)) return misfit(expected, shownValue(path.at(-1)));
  const value = valueAt(tree.value, path);
  if (value === undefined) return { message: `missing; expected ${expected}` };
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
function* flatten(issues: readonly Issue[], base: ValuePath, tree: YamlTree): Generator<PlacedIssue> {
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
