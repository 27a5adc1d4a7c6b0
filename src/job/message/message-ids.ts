import type { DeduplicationId, DlqId } from "./dead-letter.ts";

/** By time of entry, then by counter. */
export function compareDlqIds(one: DlqId, other: DlqId): number {
  const [oneMs = 0, oneCount = 0] = one.split("-").map(Number);
  const [otherMs = 0, otherCount = 0] = other.split("-").map(Number);
  return oneMs - otherMs || oneCount - otherCount;
}

/**
 * The same wherever it is computed, and of no other input: a dlqId is `<ms>-<seq>`, so a third number can only
 * be the suffix; `_` appears only in an escape (`_u` and four hex digits of a UTF-16 unit). `suffix` counts the
 * series from 1, which adds nothing.
 */
export function toDeduplicationId(dlqId: string, suffix: number): DeduplicationId {
  if (!Number.isSafeInteger(suffix) || suffix < 1) {
    throw new RangeError(`expected a suffix of 1 or more, got ${suffix}`);
  }
  const id = withoutOtherUnits(dlqId);
  return `redriver-${id}${suffix === 1 ? "" : `-${suffix}`}` as DeduplicationId;
}

/** Never one of a dead letter's: those begin with `redriver-`. */
export function toCallbackDeduplicationId(
  messageId: string,
  retried: number,
  suffix: number,
): DeduplicationId {
  const id = withoutOtherUnits(messageId);
  return `redriver_c-${id}-${retried}-${suffix}` as DeduplicationId;
}

/** The id of a copy to a test target, in one run. Never one of a dead letter's. */
export function toTestDeduplicationId(run: string, dlqId: string): DeduplicationId {
  return `redriver_t-${withoutOtherUnits(run)}-${withoutOtherUnits(dlqId)}` as DeduplicationId;
}

/** A dlqId has none of them, and a test costs a third of a replacement. */
function withoutOtherUnits(text: string): string {
  if (!/[^A-Za-z0-9-]/.test(text)) return text;
  // Without the u flag the pattern matches single code units, so four digits always suffice.
  return text.replaceAll(/[^A-Za-z0-9-]/g, (unit) => `_u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * 5 characters at least: `msg_` and one more (service-interface.md 2.2, "of the form msg_<id>"). 256 at most:
 * real ones have about 30. No document promises the prefix for every deployment.
 */
const shape = /^(?=.*[A-Za-z0-9])[\w.:~=+/-]{5,256}$/;

/** Anything else is no proof of a publication. `undefined` is an absent id, turned into text. */
export function isMessageId(value: unknown): value is string {
  return typeof value === "string" && value !== "undefined" && shape.test(value);
}
