import { formatDuration } from "../../../job/rules/durations.ts";
import { present, toIn } from "../../operations/phrases.ts";
import type { Status } from "../../operations/status/read.ts";

type DrainStatus = Status["drains"][number];
type ReplicaStatus = Status["replicas"][number];

/** So that the columns of a table of drains fit 80. The whole name is in the details. */
export const maxName = 18;

/** Of a mode that is not known only a pause is shown. */
export function toModeText({ mode, paused }: DrainStatus): string {
  return present([mode, paused && "paused"]).join(", ") || "-";
}

/** What Redis has scheduled begins only if a replica runs. */
export function toNextText(
  { nextPassAt }: DrainStatus,
  replicas: readonly ReplicaStatus[],
  now: number,
): string {
  if (nextPassAt === null) return "none";
  if (replicas.length === 0) return "no replica";
  return nextPassAt >= now ? toIn(nextPassAt - now) : `late by ${formatDuration(now - nextPassAt)}`;
}
