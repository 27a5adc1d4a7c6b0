import { oneOfText, quoted, type Problem } from "../../problem.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";
import { drain as drainSchema } from "../schema/drain-schema.ts";
import { asMap } from "../schema/raw.ts";

const drainKeys = Object.keys(drainSchema.shape);

/**
 * Names below `drains` that are keys of a drain, two spaces too shallow: their values are no drains. A drain
 * may still be called `rules` if its value is one.
 */
export function findStrayKeys(document: unknown): readonly string[] {
  return Object.entries(asMap(asMap(document)["drains"]))
    .filter(([name, value]) => drainKeys.includes(name) && !looksLikeDrain(value))
    .map(([name]) => name);
}

function looksLikeDrain(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (typeof value !== "object" || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length === 0 || keys.some((key) => drainKeys.includes(key));
}

/** One problem for each such name replaces those of the schema. */
export function toStrayProblem(name: string, tree: YamlTree, file: string): Problem {
  const drains = Object.keys(asMap(asMap(tree.value)["drains"])).filter(
    (other) => !drainKeys.includes(other),
  );
  const where = drains.length === 0 ? "a drain" : `a drain (${oneOfText(drains)})`;
  const expected = `${name} below ${where}, two spaces deeper`;
  return {
    file,
    ...tree.locate(["drains", name], "key"),
    path: "drains",
    found: quoted(name),
    expected,
    message: `${name} is a key of a drain and stands beside the drains; expected it below ${where}, two spaces deeper`,
  };
}
