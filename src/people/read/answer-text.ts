import { type FailureKind, othersOfAllId, unreadableKind } from "../../job/message/failure-kind.ts";

/** `503 upstream is not there`, `no answer`; what a person recognises a kind of failure by. */
export function toAnswerText({ id, status, text }: Pick<FailureKind, "id" | "status" | "text">): string {
  // These stand for many answers, or for none.
  if (id === unreadableKind.id || id.startsWith(othersOfAllId)) return text;
  if (status !== null) return `${status} ${text}`;
  return text === "(empty)" ? "no answer" : `no answer: ${text}`;
}

/** How early a lane's evidence names the answer, as in `4 of 5 failed again, 503`. Infinity: it does not. */
export function rankInEvidence(why: string, { status }: Pick<FailureKind, "status">): number {
  const at = why.search(status === null ? /, no answer\b/ : new RegExp(`, ${status}\\b`));
  return at < 0 ? Infinity : at;
}
