import type { DrainName } from "../../../job/contracts/ids.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { sumOf } from "../../read/totals.ts";

export interface RuledShare {
  readonly drain: DrainName;
  readonly then: string;
  /** `otherwise`: none of the drain's rules matched. Null: none is asked, as another drain or the ledger parks it. */
  readonly rule: string | null;
  /** Of the drain's decisions since its last full pass, above 0 to 1. */
  readonly share: number;
}

/**
 * What the rules of each drain that has some of a kind do with it, the most first. A message is decided by each pass that
 * lists it, so counts would be more than there are messages. Of what is gone, each drain forgets at another moment.
 */
export function toRuledShares({ drains }: Pick<FailureView, "drains">): readonly RuledShare[] {
  return drains.flatMap(({ drain, ruled, waiting, parked }): readonly RuledShare[] => {
    if (waiting + parked === 0) return [];
    const all = Object.entries(ruled).toSorted(([, one], [, other]) => other - one);
    if (all.length === 0 && waiting === 0) return [{ drain, then: "park", rule: null, share: 1 }];
    const decided = sumOf(all, ([, count]) => count);
    return all.map(([text, count]) => {
      const [then = "", ...name] = text.split(" ");
      return { drain, then, rule: name.join(" "), share: count / decided };
    });
  });
}

export function whyNotRuled({ waiting, parked }: Pick<FailureView, "waiting" | "parked">): string {
  return waiting + parked === 0
    ? "nothing of it is left to decide"
    : "none was decided since the last full pass";
}

export function toPercent(share: number): number {
  return Math.max(1, Math.round(share * 100));
}
