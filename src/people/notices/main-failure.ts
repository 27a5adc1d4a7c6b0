import type { RecordedFailure, StandingFailure } from "../../job/contracts/failures.ts";
import { toAnswerText } from "../read/answer-text.ts";
import type { NoticeItem } from "../../job/contracts/notices.ts";
import type { NoticeFacts } from "./notice-facts.ts";

/** The kind that most of these are of, at one destination or at any. */
export function toMainFailure(
  failures: readonly StandingFailure[],
  { kinds }: Pick<NoticeFacts, "kinds">,
  countOf: (failure: StandingFailure) => number,
  origin?: string,
): Pick<NoticeItem, "destination" | "cause" | "failure"> {
  let main: RecordedFailure | undefined;
  let most = 0;
  for (const failure of failures) {
    const kind = kinds.get(failure.id);
    const count = countOf(failure);
    if (kind === undefined || count <= most || (origin !== undefined && kind.origin !== origin)) continue;
    main = kind;
    most = count;
  }
  return {
    destination: origin ?? main?.origin ?? null,
    cause: main === undefined ? null : toAnswerText(main),
    failure: main?.id ?? null,
  };
}
