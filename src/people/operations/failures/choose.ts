import type { Core, BuiltSource } from "../../../job/door.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import { unreadableKind } from "../../../job/message/failure-kind.ts";
import { toMeant } from "../nearest.ts";
import type { FailureView } from "../../read/failure-views.ts";

/** Those with this id: one for each source that has met it. Throws `not-found` if there is none. */
export function chooseFailures(views: readonly FailureView[], id: string): readonly FailureView[] {
  const found = views.filter((one) => one.id === id);
  if (found.length > 0) return found;
  throw unknownFailure(
    id,
    views.map((one) => one.id),
  );
}

export function sourceOf({ sources }: Core, { source }: FailureView): BuiltSource {
  const built = sources.get(source);
  if (built === undefined) throw new RedriverError("invariant-broken", `source ${source} was not built`);
  return built;
}

/** A mistyped id would select nothing, which looks like good news. Throws `not-found` if no source knows it. */
export async function requireFailure(core: Core, sources: Iterable<SourceId>, id: string): Promise<void> {
  const known: string[] = [];
  for (const source of new Set(sources)) {
    const built = core.sources.get(source);
    if (built === undefined) continue;
    known.push(...(await built.runtime.failures.all()).map((kind) => kind.id));
    known.push(...(await built.failureMarks.all()).keys());
    if (known.includes(id)) return;
  }
  throw unknownFailure(id, known);
}

/** Null: a plan can select it. */
export function whyNotPlanned(id: string): string | null {
  if (/^[0-9a-f]{10}$/.test(id)) return null;
  return id === unreadableKind.id
    ? "nobody can read these records, so no plan selects them: they stay until they expire"
    : "it stands for kinds that were too many to count apart, so no plan selects it: plan a host or a rule";
}

function unknownFailure(id: string, known: readonly string[]): RedriverError {
  const meant = toMeant(id, known) || "; redriver failures --all lists all";
  return new RedriverError("not-found", `no kind of failure has the id ${JSON.stringify(id)}${meant}`);
}
