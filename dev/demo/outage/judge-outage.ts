import { toSeconds } from "../run-story.ts";
import type { HostFacts, Try } from "./replay-journal.ts";

/**
 * What an outage is judged by: the emulator's journal, and when the receiver failed and recovered. Times are
 * Unix ms.
 */
export interface OutageEvidence {
  readonly down: HostFacts;
  readonly other: HostFacts;
  readonly backAt: number;
  readonly lane: { readonly canary: number; readonly watchMs: number; readonly probeEveryMs: number };
  readonly names: { readonly down: string; readonly other: string };
}

/** A grant that was published slowly is nearer to the next than their distance when they were granted. */
const slackMs = 500;

/**
 * What lanes promise of one outage; one sentence for each promise that was not kept. That each message was
 * delivered once and the DLQ is empty is judged as in every story (judge-deliveries.ts).
 */
export function judgeOutage({ down, other, backAt, lane, names }: OutageEvidence): readonly string[] {
  const differences: string[] = [];
  const { canary, watchMs, probeEveryMs } = lane;

  const early = down.tries.filter(({ at }) => at < backAt);
  const firstAt = early[0]?.at ?? 0;
  const atFirst = early.filter(({ at }) => at - firstAt < watchMs);
  if (atFirst.length > canary) {
    differences.push(
      `${atFirst.length} messages went to ${names.down} in the first ${toSeconds(watchMs)} while it was down, expected at most ${canary}`,
    );
  }
  if (!early.some(({ outcome }) => outcome === "came back")) {
    differences.push(`no message was tried with ${names.down} while it was down`);
  }
  const gaps = toGaps(early.slice(Math.max(0, atFirst.length - 1)));
  const close = gaps.filter((gapMs) => gapMs < probeEveryMs - slackMs);
  if (close.length > 0) {
    differences.push(
      `${close.length} of ${gaps.length} probes followed the message before them too soon, once after ${toSeconds(Math.min(...close))}, expected at least ${toSeconds(probeEveryMs)}`,
    );
  }

  const deadThere = other.depths.findLast(({ at }) => at < backAt)?.deadLetters;
  if (deadThere !== 0) {
    differences.push(
      `${names.other} was not drained while ${names.down} was down: ${deadThere ?? "no"} dead letters`,
    );
  }

  const survivor = down.tries.find(({ outcome }) => outcome === "delivered");
  const sinceMs = (tried: Try): number => tried.at - (survivor?.at ?? Infinity);
  const soon = down.tries.filter(
    (tried) => tried !== survivor && sinceMs(tried) >= 0 && sinceMs(tried) < watchMs,
  );
  if (soon.length >= canary) {
    differences.push(
      `${soon.length} messages followed the first that ${names.down} took within ${toSeconds(watchMs)}, expected fewer than ${canary}`,
    );
  }
  const late = [...down.tries.filter(({ at }) => at >= backAt), ...other.tries].filter(
    ({ outcome, status }) => outcome === "came back" && status === 0,
  );
  if (late.length > 0) {
    differences.push(
      `${late.length} answers of hosts that were up came too late: this machine is too busy for the demo, and such a message may arrive twice`,
    );
  }
  return differences;
}

/** Between one try and the next, ms. */
export const toGaps = (tries: readonly Try[]): readonly number[] =>
  tries.slice(1).map(({ at }, index) => at - (tries[index]?.at ?? at));
