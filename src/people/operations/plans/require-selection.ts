import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import type { Core, DrainRuntime } from "../../../job/door.ts";
import { chooseDrains } from "../choose-drains.ts";
import { requireFailure } from "../failures/choose.ts";
import { requireArchive } from "./discard.ts";

/** The drains of a plan. Throws `command-misused` for a name, rule or kind that is none, and as `requireArchive`. */
export async function requireSelection(
  core: Core,
  names: readonly DrainName[],
  { rules = [], failure, ...filter }: PlanFilter,
): Promise<readonly DrainRuntime[]> {
  const drains = chooseDrains(core, names);
  requireRules(drains, rules);
  requireArchive(core, filter);
  const sources = drains.map(({ config }) => config.source.id);
  if (core.ledger === "there" && failure !== undefined) await requireFailure(core, sources, failure);
  return drains;
}

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
