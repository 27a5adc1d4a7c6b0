import type { FailureView } from "../../read/failure-views.ts";
import type { FailureDetails, StoredDetails } from "./details.ts";

/** Times are Unix ms. */
export function toFailureJson({ quiet, quietEnded, isNew, isQuiet, ...failure }: FailureView) {
  return {
    ...failure,
    new: isNew,
    /** `ended`: why it is over; null: it is not. */
    quiet: quiet === null ? null : { ...quiet, active: isQuiet, ended: quietEnded },
  };
}

/** `sample` stays its id; what the rules do with one is `decided`, if that was asked. */
export function toDetailsJson({ failure, arrivals, lanes, ...asked }: StoredDetails | FailureDetails) {
  const decided = "sample" in asked ? { decided: asked.sample } : {};
  return { ...toFailureJson(failure), arrivals, lanes, ...decided };
}
