import { createHash } from "node:crypto";
import type { DeadLetter } from "../../message/dead-letter.ts";
import { oncePerText } from "../../message/once-per-text.ts";
import { signatureOf } from "../../message/signature/signature-of.ts";
import type { FailureKind } from "../../ports/failures.ts";
import { laneOriginOfLetter } from "../lanes/lane-origin.ts";

/** A few hundred bytes each. A queue has some dozens, or one for each message. */
const maxRemembered = 2_000;
/** A longer answer costs more to find again than to read: only its first 4 KB are read. */
const maxRememberedAnswer = 1_024;

const unreadableOrigin = "(unreadable)";

/** 40 bits: among the 500 kinds of a source, two share an id once in ten million sources. */
export function toFailureId(origin: string, signatureKey: string): string {
  return idOf(`${origin}\0${signatureKey}`);
}

const idOf = oncePerText(2_000, 1_024, (text) =>
  createHash("sha256").update(text).digest("hex").slice(0, 10),
);

/** Records without a dlqId, or in a form that nobody can read. */
export const unreadableKind: FailureKind = {
  id: "unreadable",
  origin: unreadableOrigin,
  status: null,
  text: "no dead letter that can be read",
};

/** What a destination's other failures are counted as, once too many kinds are recorded. */
export function otherFailuresId(origin: string): string {
  return `other-${toFailureId(origin, "")}`;
}

/** What those are counted as for which there is no room either. */
export const othersOfAllId = "other";

const known = new Map<string, Map<string, FailureKind>>();
let remembered = 0;

/** The kind of a failure. Equal answers of a destination are read once. Pure, and never throws. */
export function failureKindOf(
  letter: Pick<DeadLetter, "url" | "queueName" | "responseStatus" | "responseBody" | "responseBodyBase64">,
): FailureKind {
  const origin = laneOriginOfLetter(letter) ?? unreadableOrigin;
  const { responseBody, responseBodyBase64, responseStatus = null } = letter;
  if (responseBodyBase64 !== "" || responseBody.length > maxRememberedAnswer) return toKind(origin, letter);
  const place = `${responseStatus} ${origin}`;
  const before = known.get(place)?.get(responseBody);
  if (before !== undefined) return before;
  if (remembered >= maxRemembered) {
    known.clear();
    remembered = 0;
  }
  const kind = toKind(origin, letter);
  const answers = known.get(place) ?? new Map<string, FailureKind>();
  known.set(place, answers.set(responseBody, kind));
  remembered += 1;
  return kind;
}

function toKind(origin: string, letter: Parameters<typeof signatureOf>[0]): FailureKind {
  const { key, text } = signatureOf(letter);
  return { id: toFailureId(origin, key), origin, status: letter.responseStatus ?? null, text };
}
