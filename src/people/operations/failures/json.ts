import type { FailureView } from "../../read/failure-views.ts";

/** Times are Unix ms. */
export function toFailureJson({ quiet, quietEnded, isNew, isQuiet, ...failure }: FailureView) {
  return {
    ...failure,
    new: isNew,
    /** `ended`: why it is over; null: it is not. */
    quiet: quiet === null ? null : { ...quiet, active: isQuiet, ended: quietEnded },
  };
}
