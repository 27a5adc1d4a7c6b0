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

export type SkipReport = ReturnType<ReturnType<typeof createSkips>["report"]>;

const maxExamples = 100;

export function createSkips() {
  const counts = { gone: 0, changed: 0, otherwise: 0 };
  const examples: Skip[] = [];
  return {
    add(dlqId: DlqId, why: Skip["why"], was: SkippedDecision, is?: SkippedDecision): void {
      counts[why] += 1;
      if (examples.length === maxExamples) return;
      const now = is === undefined ? {} : { is: withoutHashes(is) };
      examples.push({ dlqId, why, was: withoutHashes(was), ...now });
    },
    report: () => ({ ...counts, examples: [...examples] as readonly Skip[] }),
  };
}

function withoutHashes({ then, reason, rule }: SkippedDecision): SkippedDecision {
  return { then, reason, rule };
}

export const noSkips: SkipReport = { gone: 0, changed: 0, otherwise: 0, examples: [] };

export function skippedOf({ gone, changed, otherwise }: Omit<SkipReport, "examples">): number {
  return gone + changed + otherwise;
}

export function addSkips(one: SkipReport, other: SkipReport): SkipReport {
  return {
    gone: one.gone + other.gone,
    changed: one.changed + other.changed,
    otherwise: one.otherwise + other.otherwise,
    examples: [...one.examples, ...other.examples].slice(0, maxExamples),
  };
}
