import { toFailureName, type DestinationName } from "../../../job/message/destination-names.ts";
import { defined } from "../../../job/message/defined.ts";
import type { BuiltSource, Core } from "../../../job/door.ts";
import type { DrainName, SourceId } from "../../../job/contracts/ids.ts";
import { requireFailure } from "../failures/choose.ts";
import type { Order } from "./acts.ts";
import { chooseDrains } from "../choose-drains.ts";

/** `pause` or `resume`. */
export type PauseAct = (
  source: BuiltSource,
  drain: DrainName | "*",
  order: Order,
  core: Core,
) => Promise<string>;

export interface TargetsOrder extends Omit<Order, "host"> {
  /** Of drains; empty: all. */
  readonly names: readonly string[];
  readonly host?: DestinationName;
  /** The id of a kind of failure, in the place of a host. */
  readonly failure?: string;
}

/** `drain`: null for all. `said`: what became of it; `line`: the same with the name of the target. */
export interface DoneTarget {
  readonly source: SourceId;
  readonly drain: DrainName | null;
  readonly host: DestinationName | null;
  readonly said: string;
  readonly line: string;
}

/** Yields each target once it is done. Throws `command-misused` for a drain or a kind that nobody knows. */
export async function* onEachTarget(
  core: Core,
  { names, host: named, failure, ...order }: TargetsOrder,
  act: PauseAct,
): AsyncGenerator<DoneTarget> {
  const targets = choosePauseTargets(core, names);
  if (failure !== undefined) await requireFailure(core, core.sources.keys(), failure);
  const host = failure === undefined ? named : toFailureName(failure);
  for (const [label, source, drain] of targets) {
    const said = await act(source, drain, { ...order, ...defined({ host }) }, core);
    yield {
      source: source.runtime.config.id,
      drain: drain === "*" ? null : drain,
      host: host ?? null,
      said,
      line: `${host === undefined ? "" : `${host} of `}${label}: ${said}`,
    };
  }
}

/** `label`: how a person reads it. `drain`: `*` is all drains of the source. */
export type ChosenTarget = readonly [label: string, source: BuiltSource, drain: DrainName | "*"];

/** Whole sources if no drain is named. */
export function choosePauseTargets(core: Core, names: readonly string[]): readonly ChosenTarget[] {
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
