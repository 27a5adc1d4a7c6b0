/** What a pause or a resume is about: whole sources, or drains, and in them one destination or kind of failure. */
import { z } from "zod";
import { toFailureName, type DestinationName } from "../../../job/message/destination-names.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { ActOf, BuiltSource, Core } from "../../../job/door.ts";
import { chooseDrains, requireNamesOrAll } from "../choose-drains.ts";
import type { Did } from "../define.ts";
import * as fields from "../fields.ts";
import { requireFailure } from "../failures/choose.ts";

export const targetFields = {
  drains: fields.drains,
  all: fields.all,
  host: fields.host,
  failure: fields.failure,
};

type Targets = z.output<z.ZodObject<typeof targetFields>>;

/** A destination or a failure is meant in every drain, if none is named. */
export function checkTargets({ drains: names = [], all, host: named, failure: kind }: Targets): void {
  if (named !== undefined && kind !== undefined) {
    throw new RedriverError("command-misused", "give a host or a failure, not both");
  }
  if ((named ?? kind) === undefined || all === true) requireNamesOrAll(names, all === true);
}

export const targetRow = z.object({
  source: z.string(),
  drain: z.string().nullable().describe("Null: all drains of the source."),
  host: z.string().nullable(),
  said: z.string(),
});

/** `drain`: `*` is all drains of the source. */
export interface Target {
  readonly source: BuiltSource;
  readonly drain: DrainName | "*";
  readonly host?: DestinationName;
}

/** What was done to a target. `isRefused`: a part of it was not. */
export type DoneTo = Pick<Did<never>, "said" | "isRefused">;

/** Each target once it is done. Throws `command-misused` for a kind that nobody knows. */
export async function* onEachTarget(
  core: Core,
  { drains: names = [], host: named, failure: kind }: Targets,
  act: (target: Target) => Promise<DoneTo>,
): AsyncGenerator<Did<z.output<typeof targetRow>>> {
  if (kind !== undefined) await requireFailure(core, core.sources.keys(), kind);
  const name = kind === undefined ? named : toFailureName(kind);
  for (const [label, source, drain] of choosePauseTargets(core, names)) {
    const { said, isRefused = false } = await act({
      source,
      drain,
      ...(name === undefined ? {} : { host: name }),
    });
    const row = {
      source: source.runtime.config.id,
      drain: drain === "*" ? null : drain,
      host: name ?? null,
      said,
    };
    yield { said: `${name === undefined ? "" : `${name} of `}${label}: ${said}`, row, isRefused };
  }
}

type ChosenTarget = readonly [label: string, source: BuiltSource, drain: DrainName | "*"];

/** Whole sources if no drain is named. */
function choosePauseTargets(core: Core, names: readonly string[]): readonly ChosenTarget[] {
  const sources = [...core.sources.values()];
  if (names.length === 0) {
    return sources.map(
      (source) => [`all drains of source ${source.runtime.config.id}`, source, "*"] as const,
    );
  }
  return chooseDrains(core, names).flatMap(({ config: { name, source } }) =>
    sources
      .filter(({ runtime }) => runtime.config.id === source.id)
      .map((built) => [name, built, name] as const),
  );
}

export function toActOf(drain: DrainName | "*", why: string): ActOf {
  return { drain: drain === "*" ? null : drain, why };
}
