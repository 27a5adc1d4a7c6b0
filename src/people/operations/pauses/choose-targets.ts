import type { BuiltSource } from "../../../job/compose/build-source.ts";
import type { Core } from "../../../job/compose/build-core.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { chooseDrains } from "../choose-drains.ts";

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
