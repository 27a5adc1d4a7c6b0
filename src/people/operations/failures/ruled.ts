import type { FailureView } from "../../read/failure-views.ts";

/** `then`: `republish`, `hold` and so on. */
export interface RuledShare {
  readonly then: string;
  /** `otherwise`: none of the drain's rules matched. */
  readonly rule: string;
  /** Of all decisions since the last full pass, above 0 to 1. */
  readonly share: number;
}

/**
 * What the rules did with a kind since the last full pass, the most first. A message is decided by each pass that
 * lists it, so counts would be more than there are messages.
 */
export function toRuledShares({ ruled }: Pick<FailureView, "ruled">): readonly RuledShare[] {
  const all = Object.entries(ruled).toSorted(([, one], [, other]) => other - one);
  const decided = all.reduce((sum, [, count]) => sum + count, 0);
  return all.map(([text, count]) => {
    const [then = "", ...name] = text.split(" ");
    return { then, rule: name.join(" "), share: count / decided };
  });
}

/** At least 1. */
export function toPercent(share: number): number {
  return Math.max(1, Math.round(share * 100));
}
