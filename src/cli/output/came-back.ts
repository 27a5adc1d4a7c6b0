import type { Lineage } from "../../message/lineage.ts";

/** Where a record came from, by its signed lineage. A probe that came back `down` leaves its attempt to the next redrive. */
export function cameBackText({ parentDlqId, attempt, step }: Lineage): string {
  const how = step?.isCanary === true ? `, sent as a ${step.isProbe ? "probe" : "canary"}` : "";
  return `it came back from ${parentDlqId} after attempt ${attempt}${how}`;
}
