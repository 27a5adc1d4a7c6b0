import { z } from "zod";
import type { Letter, DrainRuntime } from "../../job/door.ts";
import { decideLater } from "../../job/door-pure.ts";

/** The decision about a held record that follows by time alone. */
export const nextDecision = z.object({
  /** `expire`: its retention ends before any rule decides otherwise. */
  then: z.enum(["republish", "drop", "hold", "park", "settle", "expire"]),
  reason: z.string(),
  rule: z.string().nullable(),
  /** Unix ms by the service's clock. */
  at: z.number(),
});
export type NextDecision = Readonly<z.infer<typeof nextDecision>>;

export interface Foreseen {
  readonly letter: Letter;
  /** Null unless it is held until a time that is known. */
  readonly next: NextDecision | null;
  /** As it is published then; null unless `next` is a republish. */
  readonly becomes: Letter | null;
}

/** A record with more turns than this is decided only at the end of its wait. */
const maxTurns = 50;

/** Pure. Decides the letter again at each moment at which time can change its decision. */
export function foresee(drain: DrainRuntime, letter: Letter): Foreseen {
  const expiresAt = letter.facts?.expiresAt ?? Infinity;
  let held = letter;
  let next: NextDecision | null = null;
  for (let turn = 0; turn <= maxTurns; turn += 1) {
    const at = turnOf(drain, held, turn < maxTurns);
    if (at === null) break;
    if (at >= expiresAt) {
      const expired = { then: "expire", reason: "retention", rule: null, at: expiresAt } as const;
      return { letter, next: expired, becomes: null };
    }
    held = decideLater(drain, held, at);
    const { then, reason, rule } = held.decision;
    next = { then, reason, rule, at };
  }
  return { letter, next, becomes: next === null || held.item === null ? null : held };
}

/** When the decision about a held letter can change; null if it is not held, or nothing is known. Unix ms. */
function turnOf({ config }: DrainRuntime, letter: Letter, isFine: boolean): number | null {
  const { decision, facts, view, viewedAt } = letter;
  if (decision.then !== "hold" || decision.until === undefined || facts === null) return null;
  // While it cools, no rule is asked. Otherwise another rule may match before its wait is over.
  if (view.state === "cool" && view.dueAt > viewedAt) return decision.until;
  if (!isFine) return decision.until;
  return Math.min(decision.until, config.route.heldUntil(facts) ?? Infinity);
}
