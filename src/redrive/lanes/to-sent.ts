import { toRootHash } from "../../message/lane-id.ts";
import type { LaneSent } from "../../ports/lanes.ts";
import type { Candidate } from "../stages/records.ts";
import { canariesByStep } from "./canaries-by-step.ts";

/** The canaries among what was published, or may have been. */
export function toSent(published: readonly Candidate[]): readonly LaneSent[] {
  return canariesByStep(published).map(({ lane, step, canaries }) => ({
    lane,
    step,
    roots: canaries.map(({ lineage }) => toRootHash(lineage.rootId)),
  }));
}
