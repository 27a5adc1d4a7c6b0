import type { Core, DrainRuntime } from "../../job/door.ts";
import { misused, type RedriverError } from "../../job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import { toMeant } from "./nearest.ts";

export function requireNamesOrAll(names: readonly string[], all: boolean): void {
  if (all !== names.length > 0) return;
  throw misused("name at least one drain, or give --all, not both");
}

export function chooseDrains(core: Core, names: readonly string[]): readonly DrainRuntime[] {
  if (names.length === 0) return [...core.drains.values()];
  return [...new Set(names)].map((name) => {
    const drain = core.drains.get(name as DrainName);
    if (drain !== undefined) return drain;
    throw unknownDrain(name, [...core.drains.keys()]);
  });
}

export function unknownDrain(name: string, known: readonly string[]): RedriverError {
  const has = known.join(", ") || "none";
  const text = `no drain is named "${name}"; the document has ${has}${toMeant(name, known)}`;
  return misused(text);
}

/** For a command that found nothing of a drain which the document does not have; null if it has it. */
export function unknownDrainNote(
  name: string | undefined,
  known: readonly string[],
  found: number,
): string | null {
  if (name === undefined || found > 0 || known.includes(name)) return null;
  const has = known.length === 0 ? "" : `; the document has ${known.join(", ")}`;
  return `nothing is known of a drain named ${JSON.stringify(name)}${has}\n`;
}

export function chooseSource({ sources }: Pick<Core, "sources">, named: string | undefined): SourceId {
  const [only, ...others] = sources.keys();
  if (named !== undefined) return named as SourceId;
  if (only !== undefined && others.length === 0) return only;
  throw misused(`source is one of ${[...sources.keys()].join(", ")}`);
}
