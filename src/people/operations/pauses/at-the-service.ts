import { isRedriverError } from "../../../job/contracts/errors.ts";
import type { FlowKey } from "../../../job/contracts/service.ts";
import { counted, number } from "../phrases.ts";

/** `keys`: those that are paused now; null: the service has none. */
export function toBrakedText(brake: number | undefined, keys: readonly FlowKey[] | null): string {
  if (brake === undefined) return "what is published goes on: its source has no `brake`";
  if (keys === null) return "what is published goes on: the service has no /v2/flowControl";
  return `at the service ${counted(keys.length, "key")} paused, ${toWaiting(keys)} there`;
}

/** Messages behind these keys; `–` if the service did not say of each. */
export function toWaiting(keys: readonly FlowKey[]): string {
  const isKnown = keys.every(({ waiting }) => waiting !== null);
  return `${isKnown ? number(keys.reduce((sum, { waiting }) => sum + (waiting ?? 0), 0)) : "–"} published wait`;
}

export function toFailedText(error: unknown): string {
  if (!isRedriverError(error)) throw error;
  return `the service did not confirm it, so do it again: ${error.message}`;
}
