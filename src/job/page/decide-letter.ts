import { comeBackKindOf } from "../message/come-back-kind.ts";
import { serviceNow, type ServiceTime } from "../contracts/service.ts";
import { proofAddressOf } from "../message/proof-callback-url.ts";
import type { DrainRuntime } from "../runtime.ts";
import { decide, releasedBy } from "./decide.ts";
import type { Letter } from "./letter.ts";
import { prepare, type Preparation } from "./prepare.ts";
import type { RecordFacts } from "../rules/record-facts.ts";

/** The parts of a drain at work that a decision needs. */
export interface DecidingRuntime {
  readonly config: DrainRuntime["config"];
  readonly discard?: DrainRuntime["discard"];
  readonly fromArchive?: DrainRuntime["fromArchive"];
  readonly newer?: DrainRuntime["newer"];
  readonly source: ServiceTime &
    Pick<DrainRuntime["source"], "headerPrefix" | "lineageKeys" | "checkItem"> & {
      /** Absent: as the document says. */
      readonly serviceRetry?: Pick<DrainRuntime["source"]["serviceRetry"], "isOn">;
      readonly brake?: Pick<DrainRuntime["source"]["brake"], "parallelism">;
    };
}

/**
 * Gives a letter its decision, and its item if it is due. One that cannot be rebuilt or may not be published
 * becomes a park. Changes nothing else. Answers the facts that were decided on. `now`: Unix ms by the service's clock.
 */
export function decideLetter(
  runtime: DecidingRuntime,
  letter: Letter,
  now: number = serviceNow(runtime.source),
  preparation: Preparation = preparationOf(runtime),
): RecordFacts {
  const { decision, facts } = decide(runtime.config, letter, now, {
    isDiscarded: runtime.discard !== undefined,
    isFromArchive: runtime.fromArchive !== undefined,
    newer: runtime.newer,
  });
  letter.isFromArchive = runtime.fromArchive !== undefined;
  letter.facts = facts;
  letter.attempt = facts.attempt;
  letter.decision = decision;
  if (decision.then !== "republish") return facts;
  // The person who released it has seen its losses.
  const isOrdered = releasedBy(letter.view) === "by-person";
  const own: Preparation = isOrdered ? { ...preparation, onLoss: "republish" } : preparation;
  const prepared = prepare(letter, decision, own);
  if (prepared.kind === "item") letter.item = prepared.item;
  else if (prepared.kind === "hold") {
    letter.decision = { then: "hold", reason: prepared.reason, rule: decision.rule };
  } else letter.decision = { then: "park", reason: prepared.reason, rule: decision.rule };
  return facts;
}

/** How a drain prepares its items. */
export function preparationOf({ config, source }: DecidingRuntime): Preparation {
  return {
    headerPrefix: source.headerPrefix,
    lineageKey: source.lineageKeys()[0],
    onLoss: config.onLoss,
    checkItem: source.checkItem,
    lane: config.lane,
    flowControl: config.flowControl,
    brake: source.brake === undefined ? config.source.brake : source.brake.parallelism(),
    proofAddress: proofAddressOf(config.source),
    keepsCredentials: config.source.keepsCredentials,
    hasServiceRetry: source.serviceRetry?.isOn() ?? config.source.serviceRetry,
  };
}

/** About to be parked because its attempts are spent; one that was parked before stays so. */
export function isNewlyExhausted({ decision, view }: Pick<Letter, "decision" | "view">): boolean {
  return decision.then === "park" && decision.reason === "attempts-exhausted" && view.state !== "parked";
}

/** A lane prevents a park only after a failure that an outage may cause. */
export function mayBeKept({ responseStatus }: Pick<Letter, "responseStatus">): boolean {
  return comeBackKindOf(responseStatus) === "down";
}

/** By a person's order. */
export function isDiscard({ then, reason }: Letter["decision"]): boolean {
  return then === "drop" && reason === "discarded";
}

/**
 * True for a letter parked as vanished that is listed after all, because an earlier listing lagged. Also for one parked
 * by these very rules, if they decide otherwise by now. One parked under other rules is taken by `begin` itself.
 */
export function isToUnpark({ config }: DrainRuntime, { view, item, decision }: Letter): boolean {
  // A discard takes it as it is.
  if (view.state !== "parked" || isDiscard(decision)) return false;
  const isActedOn = item !== null || decision.then === "drop";
  return view.reason === "vanished" || (isActedOn && view.rulesHash === config.rulesHash);
}

/**
 * True if only its delete is left to do. A second DELETE would find nothing if its worker deletes it just now,
 * or did so after the page was read. If that worker died, the sweep deletes after takeover. What is listed after
 * its tombstone is deleted again. `readAt`: the ledger's time from before the page's GET.
 */
export function isToSettle({ decision, view }: Letter, readAt: number): boolean {
  if (decision.then !== "settle") return false;
  if (view.state === "gone") return view.at < readAt;
  return !((view.state === "published" || view.state === "archived") && view.isBeingDeleted);
}
