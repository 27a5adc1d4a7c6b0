import type { FailureKind } from "../../../job/message/failure-kind.ts";
import { cut } from "../../operations/phrases.ts";
import { toAnswerText } from "../../read/answer-text.ts";

const maxCharacters = 60;

/** `422 no such contact` by kind of failure, for the cells of a table. */
export function toShortAnswers(
  kinds: readonly Pick<FailureKind, "id" | "status" | "text">[],
): ReadonlyMap<string, string> {
  return new Map(kinds.map((kind) => [kind.id, cut(toAnswerText(kind), maxCharacters)]));
}
