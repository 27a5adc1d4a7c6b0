import type { DeadLetter } from "./dead-letter.ts";
import { toShortId } from "./short-id.ts";
import { signatureOf, signatureTextOf } from "./signature/signature-of.ts";
import { laneOriginOfLetter } from "./destination-url.ts";

/** Dead letters of one source with one destination, status and answer, but for what varies. */
export interface FailureKind {
  /** The same in every process at any time (`toShortId` of its origin and signature). */
  readonly id: string;
  /** Where it failed, as lanes name it; `(unreadable)` for records that are no dead letters. */
  readonly origin: string;
  readonly status: number | null;
  /** The signature of the answer: printable, at most 120 characters, nothing private. */
  readonly text: string;
  /** Of letters that a drain lists, and another one counts for the source (`countedAs`). */
  readonly isAgain?: true;
}

const twins = new WeakMap<FailureKind, FailureKind>();

/** The kind for letters that another drain counts for the source, or for those that this one does. */
export function countedAs(kind: FailureKind, isAgain: boolean): FailureKind {
  if ((kind.isAgain === true) === isAgain) return kind;
  const known = twins.get(kind);
  if (known !== undefined) return known;
  const { isAgain: _, ...plain } = kind;
  const twin: FailureKind = isAgain ? { ...plain, isAgain } : plain;
  twins.set(kind, twin).set(twin, kind);
  return twin;
}

/** A few hundred bytes each. A queue has some dozens, or one for each message. */
const maxRemembered = 2_000;

const unreadableOrigin = "(unreadable)";

export const unreadableKind: FailureKind = {
  id: "unreadable",
  origin: unreadableOrigin,
  status: null,
  text: "no dead letter that can be read",
};

/** What a destination's other failures are counted as, once too many kinds are recorded. */
export function otherFailuresId(origin: string): string {
  return `other-${toShortId(origin, "")}`;
}

export const othersOfAllId = "other";

/** By destination, then status, then the answer's text: no key is joined for it. */
const known = new Map<string, Map<number | null, Map<string, FailureKind>>>();
let remembered = 0;

export function failureKindOf(
  letter: Pick<DeadLetter, "url" | "queueName" | "responseStatus" | "responseBody" | "responseBodyBase64">,
): FailureKind {
  const origin = laneOriginOfLetter(letter) ?? unreadableOrigin;
  const status = letter.responseStatus ?? null;
  const text = signatureTextOf(letter);
  const before = known.get(origin)?.get(status)?.get(text);
  if (before !== undefined) return before;
  if (remembered >= maxRemembered) {
    known.clear();
    remembered = 0;
  }
  const kind = { id: toShortId(origin, signatureOf(letter).key), origin, status, text };
  const ofOrigin = known.get(origin) ?? new Map<number | null, Map<string, FailureKind>>();
  const ofStatus = ofOrigin.get(status) ?? new Map<string, FailureKind>();
  known.set(origin, ofOrigin.set(status, ofStatus.set(text, kind)));
  remembered += 1;
  return kind;
}
