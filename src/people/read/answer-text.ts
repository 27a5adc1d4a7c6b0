import type { FailureKind } from "../../job/message/failure-kind.ts";
import { othersOfAllId, unreadableKind } from "../../job/message/failure-kind.ts";

/** `503 upstream is not there`, `no answer`; what a person recognises a kind of failure by. */
export function toAnswerText({ id, status, text }: Pick<FailureKind, "id" | "status" | "text">): string {
  // These stand for many answers, or for none.
  if (id === unreadableKind.id || id.startsWith(othersOfAllId)) return text;
  if (status !== null) return `${status} ${text}`;
  return text === "(empty)" ? "no answer" : `no answer: ${text}`;
}
