import { namesOfOrigin } from "../../../job/message/destination-names.ts";
import { hostPausesOf, pauseOf, type PauseRecord } from "../../../job/contracts/pauses.ts";
import type { DrainRuntime } from "../../../job/door.ts";

/** Why nothing is sent by a lane, whatever it allows. In reading order: the first needs a person first. */
export type WaitsFor = "no replica" | "drain unknown" | "plan mode" | "drain paused" | "host paused";

export interface Surroundings {
  readonly isAnyReplicaUp: boolean;
  /** Of the lane's source. */
  readonly pauses: readonly PauseRecord[];
  /** Of the document; undefined if it does not have this drain; null if it does not load, so nobody knows. */
  readonly drain: DrainRuntime | undefined | null;
}

export function whyNothingGoes(
  lane: { readonly drain: string; readonly origin: string },
  { isAnyReplicaUp, pauses, drain }: Surroundings,
): WaitsFor | null {
  if (!isAnyReplicaUp) return "no replica";
  if (drain === undefined) return "drain unknown";
  if (drain?.config.mode === "plan") return "plan mode";
  if (drain?.config.paused === true || pauseOf(pauses, lane.drain) !== undefined) return "drain paused";
  const names = namesOfOrigin(lane.origin);
  return hostPausesOf(pauses, lane.drain).some(({ host }) => names.includes(host)) ? "host paused" : null;
}
