import type { SeenRequest } from "./exchange.ts";
import type { Operation } from "./specification.ts";

/**
 * Of the operations with this method the one whose path has most segments as they are. An address stands in a
 * path as it is, with its slashes: the last parameter has all of it.
 */
export function findOperation(
  operations: readonly Operation[],
  { method, path }: Pick<SeenRequest, "method" | "path">,
): Operation | undefined {
  const candidates = operations.filter((one) => one.method === method);
  const parts = path.split("/");
  const address = parts.findIndex((part) => /^https?:$/i.test(part));
  const segments = address === -1 ? parts : [...parts.slice(0, address), parts.slice(address).join("/")];
  return best(candidates.filter(({ template }) => fits(template.split("/"), segments)));
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
