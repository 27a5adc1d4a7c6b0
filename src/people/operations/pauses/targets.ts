/** What a pause or a resume is about: whole sources, or drains, and in them one destination or kind of failure. */
import { z } from "zod";
import { defined } from "../../../job/message/defined.ts";
import { toFailureName, type DestinationName } from "../../../job/message/destination-names.ts";
import { misused } from "../../../job/contracts/errors.ts";
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
    throw misused("give a host or a failure, not both");
  }
  if ((named ?? kind) === undefined || all === true) requireNamesOrAll(names, all === true);
}

export const targetRow = z.object({
  source: z.string(),
  drain: z.string().nullable().describe("Null: all drains of the source."),
  host: z.string().nullable(),
  said: z.string(),
});

export interface Target {
  readonly source: BuiltSource;
  readonly drain: DrainName | "*";
  readonly host?: DestinationName;
}

export type DoneTo = Pick<Did<never>, "said" | "isRefused">;

/** Each target once it is done. Throws `command-misused` for a kind that nobody knows. */
export async function* onEachTarget(
  core: Core,
  { drains: names = [], host: named, failure: kind }: Targets,
  act: (target: Target) => Promise<DoneTo>,
): AsyncGenerator<Did<z.output<typeof targetRow>>> {
  if (kind !== undefined) await requireFailure(core, core.sources.keys(), kind);
  const host = kind === undefined ? named : toFailureName(kind);
  const isAll = names.length === 0;
  const drains = isAll ? [] : chooseDrains(core, names).map(({ config }) => config);
  const targets = isAll
    ? [...core.sources.values()].map((source) => ({ source, drain: "*" as const }))
    : drains.map(({ name, source: { id } }) => ({ source: core.sources.get(id)!, drain: name }));
  for (const { source, drain } of targets) {
    const { id } = source.runtime.config;
    const { said, isRefused = false } = await act({ source, drain, ...defined({ host }) });
    const where = drain === "*" ? `all drains of source ${id}` : drain;
    const row = { source: id, drain: drain === "*" ? null : drain, host: host ?? null, said };
    yield { said: `${host === undefined ? "" : `${host} of `}${where}: ${said}`, row, isRefused };
  }
}

export function toActOf(drain: DrainName | "*", why: string): ActOf {
  return { drain: drain === "*" ? null : drain, why };
}
