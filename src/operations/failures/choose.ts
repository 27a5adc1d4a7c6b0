import type { Core } from "../../compose/build-core.ts";
import type { BuiltSource } from "../../compose/build-source.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { SourceId } from "../../ports/ids.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";

/** Those with this id: one for each source that has met it. Throws `command-misused` if there is none. */
export function chooseFailures(views: readonly FailureView[], id: string): readonly FailureView[] {
  const found = views.filter((one) => one.id === id);
  if (found.length > 0) return found;
  throw unknownFailure(id);
}

export function sourceOf({ sources }: Core, { source }: FailureView): BuiltSource {
  const built = sources.get(source);
  if (built === undefined) throw new RedriverError("invariant-broken", `source ${source} was not built`);
  return built;
}

/**
 * For an id that selects: a mistyped one would select nothing, which looks like good news. Throws
 * `command-misused` if none of the sources knows it.
 */
export async function requireFailure(core: Core, sources: Iterable<SourceId>, id: string): Promise<void> {
  for (const source of new Set(sources)) {
    const built = core.sources.get(source);
    if (built === undefined) continue;
    if ((await built.runtime.failures.all()).some((kind) => kind.id === id)) return;
    if ((await built.failureMarks.all()).has(id)) return;
  }
  throw unknownFailure(id);
}

function unknownFailure(id: string): RedriverError {
  return new RedriverError(
    "command-misused",
    `no kind of failure has the id ${JSON.stringify(id)}; redriver failures --all lists all`,
  );
}
