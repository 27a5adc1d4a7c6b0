import { isNonRetryable, nonRetryableStatus } from "../message/retry-after.ts";
import { rootOf } from "../message/lineage.ts";
import type { ParkReason } from "../message/park-reasons.ts";
import type { DrainConfig } from "../contracts/drains-document.ts";
import { isDecidedAgain, type LedgerView, type Released } from "../contracts/ledger-entries.ts";
import type { Decision, Routing } from "../rules/decision.ts";
import type { RecordFacts } from "../rules/record-facts.ts";
import { asksForStatus } from "../rules/rule-spec.ts";
import { whenDeliverable, whenDue, type Due } from "../rules/when-due.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { ItemChanges } from "../message/item-changes.ts";
import type { Letter } from "./letter.ts";

export type DecidingDrain = Pick<
  DrainConfig,
  "name" | "route" | "rules" | "rulesHash" | "minAgeMs" | "attempts" | "unknownOutcome" | "afterLedgerLoss"
> & { readonly source: Pick<DrainConfig["source"], "retentionMs"> };

export type Decidable = Pick<Letter, "content" | "reading" | "view" | "viewedAt" | "mayBeForgotten"> &
  Partial<Pick<Letter, "restsOnFirstId">>;

type DecidedFor = { readonly [Key in "discard" | "fromArchive" | "newer"]?: DrainRuntime[Key] | undefined };

/**
 * Decides one letter: by the ledger, the rules, its attempts, then time. Pure and total. `now`: by the service's clock.
 * `discard`: a person's order stands in place of the rules. `newer`: absent if the queue was not listed for it.
 */
export function decide(
  drain: DecidingDrain,
  letter: Decidable,
  now: number,
  { discard, fromArchive, newer }: DecidedFor = {},
): { readonly decision: Decision; readonly facts: RecordFacts } {
  const { content, view, reading } = letter;
  const root = rootOf(content, reading);
  const inLedger = "attempt" in view ? view.attempt : 0;
  const facts: RecordFacts = {
    letter: content,
    now,
    // A release grants one more attempt: its count stands in place of the lineage's.
    attempt: releasedBy(view) === false ? Math.max(root.attempt, inLedger) : inLedger,
    rootCreatedAt: root.rootCreatedAt,
    expiresAt: fromArchive ? Infinity : content.enteredAt + drain.source.retentionMs,
    newer,
  };
  if (discard !== undefined) return { decision: decidedByOrder(drain, letter, now), facts };
  if (fromArchive !== undefined) return { decision: decidedForArchive(drain, letter, facts), facts };
  const decision = decidedByLedger(drain, letter, now) ?? decidedByRules(drain, letter, facts);
  return { decision, facts };
}

const publishedBefore: Decision = { then: "hold", reason: "published-before", rule: null };

/** A person takes drops back, so no rule drops it again. What rules hold or park stays in the archive. */
function decidedForArchive(drain: DecidingDrain, letter: Decidable, facts: RecordFacts): Decision {
  const { view, mayBeForgotten } = letter;
  const isUnfinished = view.state === "archived" || (view.state === "open" && view.isDiscarded === true);
  // The queue may have it still.
  if (isUnfinished) return { then: "hold", reason: "in-flight", rule: null };
  const wasDropped = view.state === "gone" && view.wasArchived === true;
  const decision =
    (wasDropped ? null : decidedByLedger(drain, letter, facts.now)) ?? decidedByRules(drain, letter, facts);
  const { then, reason, rule } = decision;
  if (then === "settle") return publishedBefore;
  if (then === "republish") {
    return { then, reason: reason === "due" ? "from-archive" : reason, rule, set: decision.set };
  }
  if (then !== "drop") return decision;
  if (mayBeForgotten && drain.afterLedgerLoss === "park")
    return { then: "park", reason: "ledger-lost", rule };
  return { then: "republish", reason: "from-archive", rule, set: {} };
}

const discarded: Decision = { then: "drop", reason: "discarded", rule: null };

/** All that waits is discarded, parked or not. What may be under way is reconciled first. */
function decidedByOrder(drain: DecidingDrain, letter: Decidable, now: number): Decision {
  const { state } = letter.view;
  if (state === "absent" || state === "cool" || state === "parked") return discarded;
  const decision = decidedByLedger(drain, letter, now);
  if (decision?.then === "settle" || decision?.then === "drop" || decision?.then === "hold") return decision;
  return { then: "hold", reason: "outcome-unknown", rule: null };
}

export function releasedBy(view: LedgerView): Released {
  return view.state === "cool" || view.state === "open" ? view.released : false;
}

function decidedByRules(
  drain: DecidingDrain,
  { view, mayBeForgotten, restsOnFirstId = false }: Decidable,
  facts: RecordFacts,
): Decision {
  const { letter, now, attempt } = facts;
  const { attempts, minAgeMs } = drain;
  const released = releasedBy(view);
  // A release overrides whatever parked the record, rules included, until one more attempt is made.
  const isOrdered = released === "by-person";
  // What is listed after the service's own retry was not published by it.
  const isInDoubt = view.state === "open" && view.via === undefined;
  const routing = drain.route(facts);
  const { rule } = routing;
  // A batch in doubt is posted again as a batch, whatever the rules say by now.
  const via = isInDoubt ? undefined : routing.via;
  // What a person ordered or is in doubt goes on, but nothing is dropped by a date that cannot be true.
  const mayRest = (isOrdered || isInDoubt) && routing.then !== "drop";
  if (!mayRest && drain.route.restsOnBadDate(facts, routing)) {
    return { then: "hold", reason: isInDoubt ? "outcome-unknown" : "implausible-date", rule };
  }
  if (!mayRest && drain.route.restsOnNewer(facts, routing)) {
    return { then: "hold", reason: isInDoubt ? "outcome-unknown" : "superseded", rule };
  }
  switch (routing.then) {
    case "hold": {
      if (isInDoubt) return { then: "hold", reason: "outcome-unknown", rule };
      const until = drain.route.heldUntil(facts);
      const by = drain.route.supersededBy(facts, rule);
      const reason = by === null ? byRule(rule) : "superseded";
      return {
        then: "hold",
        reason,
        rule,
        ...(until === null ? {} : { until }),
        ...(by === null ? {} : { by }),
      };
    }
    case "park":
      if (isOrdered) break;
      if (isInDoubt) return { then: "hold", reason: "outcome-unknown", rule };
      return { then: "park", reason: byRule(rule), rule };
    case "drop": {
      // A drop cannot be undone, so neither a release nor an attempt in doubt makes it earlier.
      const until = letter.enteredAt + minAgeMs;
      if (now < until) return { then: "hold", reason: "too-young", rule, until };
      // Only a rule drops: `otherwise` is hold or park.
      const by = drain.route.supersededBy(facts, rule);
      if (by !== null) return { then: "drop", reason: "superseded", rule, by };
      return { then: "drop", reason: "rule", rule: rule ?? "" };
    }
    case "republish":
      break;
  }

  const { set } = routing;
  const afterLoss = (): Decision => {
    if (drain.afterLedgerLoss === "park") return { then: "park", reason: "ledger-lost", rule };
    return republish("after-ledger-loss", routing, via);
  };
  if (isInDoubt && !mayBeForgotten) return { then: "republish", reason: "reconcile", rule, set };
  if (isInDoubt) return afterLoss();
  if (!isOrdered && isNonRetryable(letter) && !asksForStatus(drain.rules, rule, nonRetryableStatus)) {
    return { then: "park", reason: "non-retryable", rule };
  }
  if (!isOrdered && attempt >= attempts.max)
    return { then: attempts.then, reason: "attempts-exhausted", rule };
  // A release ends every wait but the message's own.
  const due =
    released === false ? whenDue(facts, { minAgeMs, waitMs: attempts.waitMs }) : whenDeliverable(facts);
  const isJudged = isOrdered && !due.due && due.reason === "implausible-date";
  if (!due.due && !isJudged && (routing.via === "service" || !isSentAhead(facts, due, set))) {
    const { reason, until } = due;
    return { then: "hold", reason, rule, ...(until === undefined ? {} : { until }) };
  }
  // The service's own retry has no id that could be hit.
  const isForgotten = mayBeForgotten || (restsOnFirstId && via !== undefined);
  return isForgotten ? afterLoss() : republish("due", routing, via);
}

/** Not spread: it is made for each letter. */
function republish(
  reason: "due" | "after-ledger-loss",
  { rule, set }: Routing,
  via: Routing["via"],
): Decision {
  return via === undefined
    ? { then: "republish", reason, rule, set }
    : { then: "republish", reason, rule, set, via };
}

function decidedByLedger(drain: DecidingDrain, { view, viewedAt }: Decidable, now: number): Decision | null {
  switch (view.state) {
    case "absent":
      return null;
    case "cool":
      if (view.dueAt <= viewedAt) return null;
      // If the clock of Redis was set back, the ledger's time may be ahead of other clocks.
      return { then: "hold", reason: "cooling", rule: null, until: now + view.dueAt - viewedAt };
    case "published":
    case "archived":
    case "gone":
      return { then: "settle", reason: "published-before", rule: null };
    case "open":
      if (!view.unknown) return { then: "hold", reason: "in-flight", rule: null };
      // Its worker died before it could. No rule may publish it now.
      if (view.isDiscarded === true) return discarded;
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
 * Each series may hold an attempt that nobody answered, so there are as many as attempts are allowed, and one at
 * least. Otherwise a service that never answers would get one message for ever.
 */
function isSpent({ attempts }: DecidingDrain, { attempt, series }: Extract<LedgerView, { state: "open" }>) {
  return series.doubts + 1 >= Math.max(2, attempts.max - attempt);
}

/** 12 h for a message to be published before its record expires. */
const marginMs = 43_200_000;

/** It would expire before its message may be delivered: it goes now, and the service delays it, but with a queue. */
function isSentAhead(
  { letter, expiresAt }: RecordFacts,
  due: Extract<Due, { due: false }>,
  { queue }: ItemChanges,
): boolean {
  const isQueued = queue === undefined ? letter.queueName !== undefined : queue !== null;
  return due.reason === "not-before" && due.until > expiresAt - marginMs && !isQueued;
}

function byRule(rule: string | null): Extract<ParkReason, "rule" | "otherwise"> {
  return rule === null ? "otherwise" : "rule";
}
