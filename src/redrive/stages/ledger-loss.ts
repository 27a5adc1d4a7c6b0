import type { DeadLetter } from "../../message/dead-letter.ts";
import { postHorizonMs, type LedgerLimits, type LedgerStamp, type LedgerView } from "../../ports/ledger.ts";

/** The clocks of Redis and of the service may differ by so much without anybody's noticing. */
const clockMarginMs = 60_000;

/**
 * Whether this record may have been published before the ledger lost writes, and nothing could tell any more: it was in the
 * queue by then, nothing is remembered of it, and its deduplication id may be forgotten too.
 *
 * What was published and not deleted at the loss was published at most `settleGateAge` before it: the gate is closed otherwise. So until
 * loss + postHorizon − settleGateAge every publish of such a record under its own id is a hit, which is proof.
 */
export function mayBeForgotten(
  { enteredAt }: Pick<DeadLetter, "enteredAt">,
  view: LedgerView,
  { at, lost }: Pick<LedgerStamp, "at" | "lost">,
  limits: LedgerLimits,
): boolean {
  if (lost === undefined || view.state !== "absent") return false;
  if (enteredAt >= lost.at + clockMarginMs) return false;
  return at > lost.since + postHorizonMs(limits) - limits.settleGateAgeMs;
}
