import type { FailureKind } from "../../../job/message/failure-kind.ts";
import { toAnswerText } from "../../read/answer-text.ts";

/** `422 no such contact` by kind of failure, for the cells of a table. */
export function toAnswerTexts(
  kinds: readonly Pick<FailureKind, "id" | "status" | "text">[],
): ReadonlyMap<string, string> {
  return new Map(kinds.map((kind) => [kind.id, toAnswerText(kind)]));
}
