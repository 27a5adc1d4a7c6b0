import { comeBackKindOf } from "../../message/come-back-kind.ts";
import type { DecidedRecord } from "../page/records.ts";

/** About to be parked because its attempts are spent; one that was parked before stays so. */
export function isNewlyExhausted({ decision, view }: Pick<DecidedRecord, "decision" | "view">): boolean {
  return decision.then === "park" && decision.reason === "attempts-exhausted" && view.state !== "parked";
}

/** A lane prevents a park only after a failure that an outage may cause. */
export function mayBeKept({ letter }: Pick<DecidedRecord, "letter">): boolean {
  return comeBackKindOf(letter.responseStatus) === "down";
}
