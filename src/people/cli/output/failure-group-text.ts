/** Kinds of failure, counted, as a plan and a list of parked dead letters show them. */
import type { FailureKind } from "../../../job/message/failure-kind.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { wrapText } from "./wrap.ts";

export const failuresHeading = "  failures that look alike\n";

export const shownFailures = 8;

const countWidth = 9;

export function toFailureLine(columns: number, failure: FailureKind & { readonly count: number }): string {
  const { id, origin, count } = failure;
  const text = `${id} ${toDestinationText(origin)}: ${toAnswerText(failure)}`;
  return wrapText(columns, 4, `${String(count).padEnd(countWidth)} `, text);
}

/** What is not shown by itself. `kinds`: how many there are of them, as far as that is known. */
export function toOtherFailures(count: number, kinds: string): string {
  return `    ${String(count).padEnd(countWidth)} of ${kinds} other kinds\n`;
}
