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

/** A question to the service. `find` may go on from what those before it have sent. */
export function probe(about: string, find: () => Answer | Promise<Answer>) {
  return { about, find, answer: notSeen("the trial ended before") };
}
