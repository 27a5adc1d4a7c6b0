import type { DeadLetter } from "./dead-letter.ts";

/** No retries wanted: 489 with `<P>NonRetryable-Error: true`, any prefix (remote-contract.md, trap 9). */
export function isNonRetryable(letter: DeadLetter): boolean {
  if (letter.responseStatus !== 489) return false;
  return Object.entries(letter.responseHeader).some(
    ([name, values]) =>
      name.toLowerCase().endsWith("nonretryable-error") &&
      values.some((value) => value.trim().toLowerCase() === "true"),
  );
}
