import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainRuntime } from "../../../job/door.ts";

/** A mistyped rule would select nothing, which looks like good news. Throws `command-misused`. */
export function requireRules(drains: readonly DrainRuntime[], rules: readonly string[]): void {
  const known = new Set(drains.flatMap(({ config }) => config.rules.map(({ name }) => name)));
  const unknown = rules.find((rule) => !known.has(rule));
  if (unknown === undefined) return;
  const have = [...known].join(", ") || "none";
  throw new RedriverError(
    "command-misused",
    `no rule of these drains is named "${unknown}"; they have ${have}`,
  );
}
