import type { DeadLetter } from "../../message/dead-letter.ts";
import type { LedgerView } from "../../ports/ledger-entries.ts";
import { postHorizonMs, type LedgerLimits } from "../../ports/ledger-limits.ts";
import type { LedgerStamp } from "../../ports/ledger.ts";

/** The clocks of Redis and of the service may differ by this much unnoticed. */
const clockMarginMs = 60_000;

/**
 * True if this record may have been published before the ledger lost writes, and nothing can prove it any more. That needs all
 * three: it was in the queue by then, the ledger knows nothing newer than the loss, and the service may have forgotten its
 * deduplication id.
 *
 * A record that was published but not settled at the loss was published at or after `lost.since`. So until postHorizon after that,
 * every publish of such a record under its own id is a hit, which is proof.
 */
export function mayBeForgotten(
  { enteredAt }: Pick<DeadLetter, "enteredAt">,
  view: LedgerView,
  { at, lost }: Pick<LedgerStamp, "at" | "lost">,
  limits: LedgerLimits,
): boolean {
  if (lost === undefined || isRememberedSince(lost.at, view)) return false;
  if (enteredAt >= lost.at + clockMarginMs) return false;
  return at > lost.since + postHorizonMs(limits);
}

function isRememberedSince(lostAt: number, view: LedgerView): boolean {
  switch (view.state) {
    case "absent":
      return false;
    case "cool":
      // A release orders the attempt, whatever was forgotten.
      return view.released === "by-person" || view.firstAt >= lostAt;
    case "parked":
      return view.firstAt >= lostAt;
    case "open":
    case "published":
    case "archived":
    case "gone":
    case "other-version":
      return true;
  }
}
