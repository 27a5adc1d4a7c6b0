/** What pages read again and again, read once a second at most for all who look. */
import type { Core } from "../../compose/build-core.ts";
import { readQueueFacts } from "../../compose/drain-and-source-facts.ts";
import { readFailureViews } from "../../compose/failure-views.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import type { QueueFacts } from "../../ports/queue-facts.ts";
import { createRulesInForce, type RulesInForce } from "./rules-in-force.ts";
import { readStatus, type Status } from "../../operations/status/read.ts";

export interface Reads {
  readonly status: () => Promise<Status>;
  /** Every kind of failure, by trouble. */
  readonly failures: () => Promise<readonly FailureView[]>;
  /** As the passes have counted them. */
  readonly facts: () => Promise<QueueFacts>;
  /** Null: not known here. */
  readonly rules: () => RulesInForce | null;
}

interface ReadsParts {
  readonly current: () => Core;
  /** When each schedule begins next, Unix ms. */
  readonly nextRuns: () => Promise<ReadonlyMap<string, number>>;
  /** Unix ms. */
  readonly now: () => number;
}

const maxAgeMs = 1_000;

export function createReads({ current, nextRuns, now }: ReadsParts): Reads {
  return {
    status: shared(now, async () =>
      readStatus(current(), { nextRuns: await nextRuns(), problems: 0, now: now() }),
    ),
    failures: shared(now, () => readFailureViews(current(), now())),
    facts: shared(now, () => readQueueFacts(current())),
    rules: createRulesInForce(current, now),
  };
}

/** At most one read at a time; its answer serves all for a second. A failure is asked again at once. */
export function shared<Answer>(now: () => number, read: () => Promise<Answer>): () => Promise<Answer> {
  let latest: { readonly answer: Promise<Answer>; readonly at: number } | null = null;
  return () => {
    const age = latest === null ? Infinity : now() - latest.at;
    if (latest !== null && age >= 0 && age < maxAgeMs) return latest.answer;
    const answer = read();
    const own = { answer, at: now() };
    latest = own;
    answer.catch(() => {
      if (latest === own) latest = null;
    });
    return answer;
  };
}
