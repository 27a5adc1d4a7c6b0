import { isNonRetryable } from "../../message/fidelity.ts";
import { rootOf } from "../../message/lineage.ts";
import type { ParkReason } from "../../message/park-reasons.ts";
import type { DrainConfig } from "../../ports/drains.ts";
import { isDecidedAgain, type LedgerView } from "../../ports/ledger-entries.ts";
import type { Decision, RecordFacts } from "../../rules/decision.ts";
import { asksForStatus } from "../../rules/spec.ts";
import { whenDue } from "../../rules/when-due.ts";
import type { KnownRecord } from "./records.ts";

/** The parts of a drain that a decision needs. */
export type DecidingDrain = Pick<
  DrainConfig,
  "name" | "route" | "rules" | "rulesHash" | "minAgeMs" | "attempts" | "unknownOutcome" | "afterLedgerLoss"
> & { readonly source: Pick<DrainConfig["source"], "retentionMs"> };

/** The status with which a receiver says "never again" (remote-contract.md, trap 9). */
const nonRetryableStatus = 489;

export interface Deciding {
  readonly decision: Decision;
  readonly facts: RecordFacts;
}

/**
 * Decides one record: first by the ledger, then by the rules, then by its attempts, then by time. Pure and total. `now` is Unix
 * ms by the service's clock.
 */
export function decideRecord(drain: DecidingDrain, record: KnownRecord, now: number): Deciding {
  const { letter, view, reading } = record;
  const root = rootOf(letter, reading);
  const released = view.state === "cool" || view.state === "open" ? view.released : false;
  // A release overrides whatever parked the record, rules included, until one more attempt is made.
  const isOrdered = released === "by-person";
  // A release grants one more attempt: its count stands in place of the lineage's.
  const inLedger = attemptsInLedger(view);
  const attempt = released === false ? Math.max(root.attempt, inLedger) : inLedger;
  const facts: RecordFacts = {
    letter,
    now,
    attempt,
    rootCreatedAt: root.rootCreatedAt,
    expiresAt: letter.enteredAt + drain.source.retentionMs,
  };
  const done = (decision: Decision): Deciding => ({ decision, facts });

  const known = decidedByLedger(drain, record, now);
  if (known !== null) return done(known);

  const routing = drain.route(facts);
  const { rule } = routing;
  const reconciling = view.state === "open";
  switch (routing.then) {
    case "hold":
      return done(
        reconciling
          ? { then: "hold", reason: "outcome-unknown", rule }
          : withUntil({ then: "hold", reason: byRule(rule), rule }, drain.route.heldUntil(facts)),
      );
    case "park":
      if (isOrdered) break;
      return done(
        reconciling
          ? { then: "hold", reason: "outcome-unknown", rule }
          : { then: "park", reason: byRule(rule), rule },
      );
    case "drop": {
      // A drop cannot be undone, so neither a release nor an attempt in doubt makes it earlier.
      const until = letter.enteredAt + drain.minAgeMs;
      if (now < until) return done({ then: "hold", reason: "too-young", rule, until });
      // Only a rule drops: `otherwise` is hold or park.
      return done({ then: "drop", reason: "rule", rule: rule ?? "" });
    }
    case "republish":
      break;
  }

  if (reconciling) return done({ then: "republish", reason: "reconcile", rule, set: routing.set });
  if (!isOrdered && isNonRetryable(letter) && !asksForStatus(drain.rules, rule, nonRetryableStatus)) {
    return done({ then: "park", reason: "non-retryable", rule });
  }
  if (!isOrdered && attempt >= drain.attempts.max) {
    return done({ then: drain.attempts.then, reason: "attempts-exhausted", rule });
  }
  if (released === false) {
    const timing = whenDue(facts, { minAgeMs: drain.minAgeMs, waitMs: drain.attempts.waitMs });
    if (!timing.due) return done({ then: "hold", reason: timing.reason, rule, until: timing.until });
  }
  if (record.mayBeForgotten === true) {
    return drain.afterLedgerLoss === "park"
      ? done({ then: "park", reason: "ledger-lost", rule })
      : done({ then: "republish", reason: "after-ledger-loss", rule, set: routing.set });
  }
  return done({ then: "republish", reason: "due", rule, set: routing.set });
}

/** The decision if the ledger alone makes it; null if the rules decide. */
function decidedByLedger(
  drain: DecidingDrain,
  { view, viewedAt }: KnownRecord,
  now: number,
): Decision | null {
  switch (view.state) {
    case "absent":
      return null;
    case "cool":
      if (view.dueAt <= viewedAt) return null;
      // The ledger's time never goes back, so it is ahead of other clocks after the Redis server's clock was set back.
      return { then: "hold", reason: "cooling", rule: null, until: now + view.dueAt - viewedAt };
    case "published":
    case "archived":
    case "gone":
      return { then: "settle", reason: "published-before", rule: null };
    case "open":
      if (!view.unknown) return { then: "hold", reason: "in-flight", rule: null };
      if (view.pastHorizon && (drain.unknownOutcome === "park" || isSpent(drain, view))) {
        return { then: "park", reason: "outcome-unknown", rule: null };
      }
      return null;
    case "other-version":
      return { then: "hold", reason: "other-version", rule: null };
    case "parked": {
      // Also under unchanged rules: their decision may change with time, and settings are part of no hash.
      if (isDecidedAgain(view.reason) && view.drain === drain.name) return null;
      return { then: "park", reason: view.reason, rule: null };
    }
  }
}

/**
 * Each series may hold an attempt that nobody answered. The policy starts new series only until there may have been as many
 * attempts as are allowed. Otherwise a service that never answers would get the same message for ever. One new series is always
 * allowed.
 */
function isSpent(
  { attempts }: DecidingDrain,
  { attempt, series }: Extract<LedgerView, { state: "open" }>,
): boolean {
  return series.doubts + 1 >= Math.max(2, attempts.max - attempt);
}

function attemptsInLedger(view: LedgerView): number {
  switch (view.state) {
    case "cool":
    case "parked":
    case "open":
      return view.attempt;
    case "absent":
    case "published":
    case "archived":
    case "gone":
    case "other-version":
      return 0;
  }
}

function byRule(rule: string | null): Extract<ParkReason, "rule" | "otherwise"> {
  return rule === null ? "otherwise" : "rule";
}

function withUntil(decision: Extract<Decision, { then: "hold" }>, until: number | null): Decision {
  return until === null ? decision : { ...decision, until };
}
