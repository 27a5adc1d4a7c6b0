import type { SeenRequest } from "./exchange.ts";
import type { Operation } from "./specification.ts";

/**
 * Of the operations with this method the one whose path has most segments as they are. Only if there is none,
 * the last parameter of a path stands for all that is left: a destination is an address with slashes.
 */
export function findOperation(
  operations: readonly Operation[],
  { method, path }: Pick<SeenRequest, "method" | "path">,
): Operation | undefined {
  const candidates = operations.filter((one) => one.method === method);
  const parts = path.split("/");
  return best(candidates.filter(({ template }) => fits(template.split("/"), parts))) ?? best(candidates.filter(({ template }) => isBeginning(template.split("/"), parts)));
}

const isParameter = (segment: string): boolean => /^\{.+\}$/.test(segment);
const fixedOf = ({ template }: Operation): number =>
  template.split("/").filter((segment) => !isParameter(segment)).length;

const best = (operations: readonly Operation[]): Operation | undefined =>
  operations.toSorted((one, other) => fixedOf(other) - fixedOf(one))[0];

/** An empty segment is no parameter. */
const fits = (template: readonly string[], parts: readonly string[]): boolean =>
  template.length === parts.length &&
  template.every((segment, index) => (isParameter(segment) ? parts[index] !== "" : segment === parts[index]));

const isBeginning = (template: readonly string[], parts: readonly string[]): boolean =>
  isParameter(template.at(-1)!) && fits(template, parts.slice(0, template.length));
