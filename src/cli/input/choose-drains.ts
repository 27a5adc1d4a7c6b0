import type { Core } from "../../compose/build-core.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { DrainRuntime } from "../../redrive/runtime.ts";

/** Throws unless drains are named or all are meant, not both. */
export function requireNamesOrAll(names: readonly string[], all: boolean): void {
  if (all !== names.length > 0) return;
  throw new RedriverError("command-misused", "name at least one drain, or give --all, not both");
}

/** The drains of these names, each once; all where none is named. */
export function chooseDrains(core: Core, names: readonly string[]): readonly DrainRuntime[] {
  if (names.length === 0) return [...core.drains.values()];
  const known = [...core.drains.keys()];
  return [...new Set(names)].map((name) => {
    const drain = core.drains.get(name as DrainName);
    if (drain !== undefined) return drain;
    throw new RedriverError(
      "command-misused",
      `no drain is named "${name}"; the document has ${known.join(", ")}`,
    );
  });
}
