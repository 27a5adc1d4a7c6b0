import { toPrintable } from "../../message/show-masked-values.ts";
import type { FailureKind } from "../../ports/failures.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { present } from "../output/phrases.ts";
import { cut } from "../status/drain-words.ts";

/** A note in a mark: the ticket says more than the first words of a text. */
const maxNote = 16;

/** `503 upstream is not there`, `no answer`. */
export function toAnswerText({ id, status, text }: Pick<FailureKind, "id" | "status" | "text">): string {
  // These stand for many answers, or for none.
  if (!/^[0-9a-f]{10}$/.test(id)) return text;
  if (status !== null) return `${status} ${text}`;
  return text === "(empty)" ? "no answer" : `no answer: ${text}`;
}

export function toMarkText({ isNew, isQuiet, quietEnded, note }: FailureView): string {
  return present([
    isNew && "new",
    isQuiet && "quiet",
    quietEnded !== null && quietEnded !== "time" && "changed",
    note !== null && cut(toPrintable(note.ticket || note.text), maxNote),
  ]).join(", ");
}
