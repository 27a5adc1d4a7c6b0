import type { RecordedFailure, StandingFailure } from "../../job/contracts/failures.ts";

/** Rules did nothing but hold it since the last full pass. Pure. */
export function isHeldByRules({ ruled }: Pick<StandingFailure, "ruled">): boolean {
  const decisions = Object.keys(ruled);
  return decisions.length > 0 && decisions.every((decision) => decision.startsWith("hold "));
}

/** Rules send some of what waits. Pure. */
export function maySend({ waiting, ruled }: Pick<StandingFailure, "waiting" | "ruled">): boolean {
  return waiting > 0 && Object.keys(ruled).some((decision) => decision.startsWith("republish "));
}

/** Of a drain by origin: what waits of kinds that rules hold. Pure. */
export function toHeldByOrigin(
  failures: readonly Pick<StandingFailure, "id" | "waiting" | "ruled">[],
  kinds: readonly Pick<RecordedFailure, "id" | "origin">[],
): ReadonlyMap<string, number> {
  const originOf = new Map(kinds.map(({ id, origin }) => [id, origin]));
  const held = new Map<string, number>();
  for (const { id, waiting, ruled } of failures) {
    const origin = originOf.get(id);
    if (origin !== undefined && isHeldByRules({ ruled })) held.set(origin, (held.get(origin) ?? 0) + waiting);
  }
  return held;
}
