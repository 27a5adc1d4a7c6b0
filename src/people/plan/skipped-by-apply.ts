import type { DlqId } from "../../job/message/dead-letter.ts";
import type { Planned } from "./plan-file-record.ts";

type SkippedDecision = Pick<Planned, "then" | "reason" | "rule">;

export interface Skip {
  readonly dlqId: DlqId;
  /**
   * `gone`: not listed any more, and not done by redriver. `changed`: listed with other content. `otherwise`:
   * decided otherwise, or to be sent differently.
   */
  readonly why: "gone" | "changed" | "otherwise";
  readonly was: SkippedDecision;
  /** Of `otherwise`. Equal to `was` if only the message to send differs. */
  readonly is?: SkippedDecision;
}

export interface SkipReport {
  readonly gone: number;
  readonly changed: number;
  readonly otherwise: number;
  /** Of those that are gone: begun, and not proven. Mostly they were deleted with a proof that Redis never got. Absent: none. */
  readonly begun?: number;
  /** At most 100. */
  readonly examples: readonly Skip[];
}

const maxExamples = 100;

export function createSkips() {
  const counts = { gone: 0, changed: 0, otherwise: 0 };
  let begun = 0;
  const examples: Skip[] = [];
  return {
    addBegun(): void {
      begun += 1;
    },
    add(dlqId: DlqId, why: Skip["why"], was: SkippedDecision, is?: SkippedDecision): void {
      counts[why] += 1;
      if (examples.length === maxExamples) return;
      const now = is === undefined ? {} : { is: withoutHashes(is) };
      examples.push({ dlqId, why, was: withoutHashes(was), ...now });
    },
    report: (): SkipReport => ({ ...counts, ...(begun > 0 && { begun }), examples: [...examples] }),
  };
}

function withoutHashes({ then, reason, rule }: SkippedDecision): SkippedDecision {
  return { then, reason, rule };
}

export const noSkips: SkipReport = { gone: 0, changed: 0, otherwise: 0, examples: [] };

export function skippedOf({ gone, changed, otherwise }: Omit<SkipReport, "examples">): number {
  return gone + changed + otherwise;
}

/** Begun is as planned. */
export function driftOf(skips: SkipReport): number {
  return skippedOf(skips) - (skips.begun ?? 0);
}

export function addSkips(one: SkipReport, other: SkipReport): SkipReport {
  const begun = (one.begun ?? 0) + (other.begun ?? 0);
  return {
    ...(begun > 0 && { begun }),
    gone: one.gone + other.gone,
    changed: one.changed + other.changed,
    otherwise: one.otherwise + other.otherwise,
    examples: [...one.examples, ...other.examples].slice(0, maxExamples),
  };
}
