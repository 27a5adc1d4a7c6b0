/** Failures that look alike, counted, as a plan and a list of parked dead letters show them. */
import type { Signature } from "../../../job/message/signature/signature-of.ts";
import { wrapText } from "./wrap.ts";

export const failuresHeading = "  failures that look alike\n";

export const shownFailures = 8;

const countWidth = 9;

export function toFailureLine(
  columns: number,
  { count, status, text }: Pick<Signature, "status" | "text"> & { readonly count: number },
): string {
  return wrapText(columns, 4, `${String(count).padEnd(countWidth)} `, `${status} ${text}`);
}

/** What is not shown by itself. `kinds`: how many there are of them, as far as that is known. */
export function toOtherFailures(count: number, kinds: string): string {
  return `    ${String(count).padEnd(countWidth)} of ${kinds} other kinds\n`;
}
