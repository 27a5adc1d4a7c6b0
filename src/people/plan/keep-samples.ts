import { createHash } from "node:crypto";
import type { DlqId } from "../../job/message/dead-letter.ts";

const maxSamples = 3;

/** Keeps three of many, the same in any order of arrival: those with the lowest hash of their dlqId. */
export function createSamples<Sample>() {
  const kept: { readonly draw: number; readonly dlqId: DlqId; readonly sample: Sample }[] = [];
  return {
    /** `toSample` is called only for one that is kept for now. */
    offer(dlqId: DlqId, toSample: () => Sample): void {
      const draw = createHash("sha256").update(`sample ${dlqId}`).digest().readUInt32BE(0);
      const highest = kept.at(-1);
      if (kept.length >= maxSamples && (highest === undefined || draw >= highest.draw)) return;
      if (kept.some((one) => one.dlqId === dlqId)) return;
      if (kept.length >= maxSamples) kept.pop();
      kept.push({ draw, dlqId, sample: toSample() });
      kept.sort((one, other) => one.draw - other.draw);
    },
    /** By time of entry. */
    all: (): readonly Sample[] =>
      kept.toSorted((one, other) => compareIds(one.dlqId, other.dlqId)).map(({ sample }) => sample),
  };
}

function compareIds(one: DlqId, other: DlqId): number {
  const [oneMs = 0, oneSeq = 0] = one.split("-").map(Number);
  const [otherMs = 0, otherSeq = 0] = other.split("-").map(Number);
  return oneMs - otherMs || oneSeq - otherSeq;
}
