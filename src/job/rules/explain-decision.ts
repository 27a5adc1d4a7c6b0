import type { Decision } from "./decision.ts";
import { formatDuration } from "./durations.ts";
import type { RecordFacts } from "./record-facts.ts";

/** `hold: too-young (rule "gateway", 40s of 5m)`; without facts until when. Shows nothing of the record. */
export function explainDecision(decision: Decision, facts?: RecordFacts): string {
  const details = [
    ...(decision.rule === null ? [] : [`rule ${JSON.stringify(decision.rule)}`]),
    ...(decision.then === "hold" && decision.until !== undefined
      ? [describeUntil(decision.reason, decision.until, facts)]
      : []),
  ];
  if ("by" in decision && decision.by !== undefined) details.push(`by ${decision.by}`);
  const head = `${decision.then}: ${decision.reason}`;
  return details.length === 0 ? head : `${head} (${details.join(", ")})`;
}

function describeUntil(reason: string, until: number, facts: RecordFacts | undefined): string {
  if (facts === undefined) {
    const date = new Date(until);
    return `until ${Number.isNaN(date.getTime()) ? until : date.toISOString()}`;
  }
  const { now, letter } = facts;
  if (reason === "too-young" || reason === "waiting") {
    return `${formatDuration(Math.max(0, now - letter.enteredAt))} of ${formatDuration(until - letter.enteredAt)}`;
  }
  return `${formatDuration(Math.max(0, until - now))} left`;
}
