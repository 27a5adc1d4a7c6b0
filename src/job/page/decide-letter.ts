import { comeBackKindOf } from "../message/come-back-kind.ts";
import { serviceNow, type ServiceTime } from "../contracts/service.ts";
import { proofAddressOf } from "../message/proof-callback-url.ts";
import type { DrainRuntime } from "../runtime.ts";
import { decide, releasedBy } from "./decide.ts";
import type { Letter } from "./letter.ts";
import { prepare, type Preparation } from "./prepare.ts";
import type { RecordFacts } from "../rules/record-facts.ts";

export interface DecidingRuntime {
  readonly config: DrainRuntime["config"];
  readonly discard?: DrainRuntime["discard"];
  readonly fromArchive?: DrainRuntime["fromArchive"];
  readonly newer?: DrainRuntime["newer"];
  readonly source: ServiceTime &
    Pick<DrainRuntime["source"], "headerPrefix" | "lineageKeys" | "checkItem"> & {
      readonly serviceRetry?: Pick<DrainRuntime["source"]["serviceRetry"], "isOn">;
      readonly brake?: Pick<DrainRuntime["source"]["brake"], "parallelism">;
    };
}

/** Gives a letter its decision, and its item if it is due. What may not be published becomes a park. */
export function decideLetter(
  runtime: DecidingRuntime,
  letter: Letter,
  now: number = serviceNow(runtime.source),
  preparation: Preparation = preparationOf(runtime),
): RecordFacts {
  const { decision, facts } = decide(runtime.config, letter, now, runtime);
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

export function isDiscard({ then, reason }: Letter["decision"]): boolean {
  return then === "drop" && reason === "discarded";
}

/** Vanished and listed after all, or parked by these very rules, which decide otherwise by now. */
export function isToUnpark({ config }: DrainRuntime, { view, item, decision }: Letter): boolean {
  // A discard takes it as it is.
  if (view.state !== "parked" || isDiscard(decision)) return false;
  const isActedOn = item !== null || decision.then === "drop";
  return view.reason === "vanished" || (isActedOn && view.rulesHash === config.rulesHash);
}

/**
 * Only its delete is left. Not while its worker may delete it, which a second DELETE would cross: if that worker
 * died, the sweep deletes. What is listed after its tombstone is deleted again. `readAt`: Redis time before the
 * GET.
 */
export function isToSettle({ decision, view }: Letter, readAt: number): boolean {
  if (decision.then !== "settle") return false;
  if (view.state === "gone") return view.at < readAt;
  return !((view.state === "published" || view.state === "archived") && view.isBeingDeleted);
}
