import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { FailureView } from "../../../job/failures/failure-views.ts";
import { present } from "../../operations/phrases.ts";
import { cut } from "../../operations/phrases.ts";

/** A note in a mark: the ticket says more than the first words of a text. */
const maxNote = 16;

export function toMarkText({ isNew, isQuiet, quietEnded, note }: FailureView): string {
  return present([
    isNew && "new",
    isQuiet && "quiet",
    quietEnded !== null && quietEnded !== "time" && "changed",
    note !== null && cut(toPrintable(note.ticket || note.text), maxNote),
  ]).join(", ");
}
