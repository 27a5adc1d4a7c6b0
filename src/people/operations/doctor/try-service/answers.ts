/** What a trial asks of the service, and how its answers are judged. Pure. */
import type { BatchOutcome } from "../../../../job/contracts/service.ts";

/** In the order of the report. */
export const questions = {
  mark: "label and header of a message",
  settings: "headers of settings in a record",
  bodies: "bodies of records",
  flowControl: "flow control of a message",
  silence: "responseStatus without an answer",
  dates: "what fromDate and toDate compare",
  order: "order of a listing",
  filters: "filters of a listing",
  refusal: "a call with an unfit item",
  refusedIds: "deduplication ids of what was refused",
  redrive: "a rebuilt message that dies again",
  hit: "a second POST of an id",
  arrivals: "a cursor while records arrive",
  deletes: "a cursor while records are deleted",
  removal: "what a delete counts",
  acceptance: "messages that were accepted, and that died",
  limits: "rate limits",
  manyIds: "more than 100 ids in a delete",
  waiting: "order of what waits for the account's parallelism",
};
export type Question = keyof typeof questions;

/** `as-assumed`: redriver works with this as it is. Otherwise `set` is what to change; null: no setting helps. */
export interface Answer {
  readonly verdict: "as-assumed" | "differs" | "not-seen";
  readonly seen: string;
  readonly set: string | null;
}
export const asAssumed = (seen: string): Answer => ({ verdict: "as-assumed", seen, set: null });
export const notSeen = (seen: string): Answer => ({ verdict: "not-seen", seen, set: null });
export const differs = (seen: string, set: string | null = null): Answer => {
  return { verdict: "differs", seen, set };
};
export const either = (isSo: boolean, so: string, otherwise = so): Answer =>
  isSo ? asAssumed(so) : differs(otherwise);

const byId = new Intl.Collator("en", { numeric: true });

export function judgeOrder(ids: readonly string[], expected: readonly string[]): Answer {
  const earliestFirst = expected.toSorted(byId.compare);
  if (ids.join() === earliestFirst.join()) return asAssumed("earliest first");
  if (ids.join() === earliestFirst.toReversed().join()) return asAssumed("latest first; none is needed");
  return differs("it changes, repeats or misses, although nothing arrives or goes");
}

export function judgeDates(atDeath: boolean, atCreation: boolean): Answer {
  if (atDeath === atCreation) return differs(`${atDeath ? "both" : "none"} of two dates that are 2 s apart`);
  return asAssumed(atDeath ? "the time of death" : "createdAt; each pass lists everything");
}

/** The pages behind the first. Since that one, records arrived, or so many of its own were deleted. */
export function judgeRest(rest: readonly string[], expected: readonly string[], deleted: number): Answer {
  const missing = expected.filter((id) => !rest.includes(id)).length;
  if (missing === 0) return asAssumed("it goes on where it was");
  if (missing === deleted) return asAssumed("it skips as many; the next pass lists them");
  return differs(`it skips ${missing} of ${expected.length}`);
}

/** The call had one item that is fit, and then one that nobody can accept. */
export function judgeRefusal(outcome: BatchOutcome): Answer {
  if (outcome.kind === "refused") return asAssumed("it is refused whole");
  if (outcome.kind !== "answered") return differs(`its end is not clear: ${outcome.error}`);
  const [fit, unfit] = outcome.items;
  if (fit?.kind === "accepted" && unfit?.kind === "refused")
    return asAssumed("its item has an error, others go");
  return differs(unfit?.kind === "in-doubt" ? unfit.why : "not the unfit item is refused", "unknownOutcome");
}
