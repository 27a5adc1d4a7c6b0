/** Why what is left waits: from what stands by rules, what the last pass met, and what was known before. Pure. */
import type { StandingFailure } from "../../contracts/failures.ts";
import type { ReasonCounts, Tally } from "../../contracts/tally.ts";

/** Of what is left: what is due, and what is held. `stand`: what only rules or a person change. */
export function toLeft(
  failures: readonly StandingFailure[],
  inDoubt: number,
  /** Due as the last pass left it. */
  before: number,
  soFar: Tally | undefined,
  stand: Readonly<Record<string, number>>,
): { readonly due: number; readonly held: number; readonly parked: number } {
  const all = failures.reduce((sum, one) => sum + one.waiting, 0);
  const parked = failures.reduce((sum, one) => sum + one.parked, 0);
  const fixed = Math.min(
    all,
    Object.values(stand).reduce((sum, count) => sum + count, 0),
  );
  const waiting = Math.max(fixed, all - inDoubt);
  const met = soFar === undefined ? before : Math.max(soFar.due, before - soFar.republished);
  const due = Math.min(met, waiting - fixed);
  return { due, held: waiting - due, parked };
}

/**
 * A publish ends none of them, so they are as many as the last full pass left, and what has arrived since. What was
 * discarded, or sent by another drain, is of kinds of which fewer wait than rules hold.
 */
const standingReasons = ["rule", "otherwise", "attempts-exhausted", "implausible-date"] as const;

export function standingOf(
  failures: readonly StandingFailure[],
  ...all: readonly (ReasonCounts["held"] | undefined)[]
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const reason of standingReasons) sums[reason] = (sums[reason] ?? 0) + (counts?.[reason] ?? 0);
  }
  const { rule = 0, otherwise = 0 } = sums;
  const byRules = failures.reduce((sum, one) => sum + Math.min(one.waiting, heldByRules(one)), 0);
  const held: Readonly<Record<string, number>> = atMost({ rule, otherwise }, byRules);
  return { ...sums, rule: held["rule"] ?? 0, otherwise: held["otherwise"] ?? 0 };
}

/** Decisions since the last full pass. */
function heldByRules({ ruled }: StandingFailure): number {
  const held = Object.entries(ruled).filter(([rule]) => rule.startsWith("hold "));
  return held.reduce((sum, [, count]) => sum + count, 0);
}

/** The most frequent first, up to `all`. */
export function atMost<Reasons extends Readonly<Record<string, number | undefined>>>(
  counts: Reasons,
  all: number,
): Reasons {
  return carried({} as Reasons, counts, all);
}

/**
 * Reasons for `all` records: those that stand, then those that the last pass met, then the known ones, the most frequent
 * first. A pass over what is new does not meet everything.
 */
export function carried<Reasons extends Readonly<Record<string, number | undefined>>>(
  known: Reasons,
  met: Reasons,
  all: number,
  standing: Readonly<Record<string, number>> | null = null,
): Reasons {
  const sums: Record<string, number> = {};
  let left = all;
  const take = (reason: string, count: number): void => {
    const taken = Math.min(count, left);
    if (taken <= 0) return;
    sums[reason] = (sums[reason] ?? 0) + taken;
    left -= taken;
  };
  const isOpen = ([reason]: readonly [string, number]): boolean => standing?.[reason] === undefined;
  const [newest, before] = [met, known].map((counts) => byCount(counts).filter(isOpen));
  for (const [reason, count] of byCount(standing ?? {})) take(reason, count);
  for (const [reason, count] of newest ?? []) take(reason, count);
  for (const [reason, count] of before ?? []) take(reason, count - (met[reason] ?? 0));
  // More wait than both have met: most likely for what most others wait for.
  const [first] = byCount(sums).find(isOpen) ?? newest?.[0] ?? before?.[0] ?? byCount(sums)[0] ?? [];
  if (first !== undefined) take(first, left);
  return sums as Reasons;
}

function byCount(counts: Readonly<Record<string, number | undefined>>): readonly [string, number][] {
  return Object.entries(counts)
    .map(([reason, count = 0]): [string, number] => [reason, count])
    .toSorted(([oneReason, one], [otherReason, other]) =>
      one === other ? oneReason.localeCompare(otherReason) : other - one,
    );
}
