import type { ParkReason } from "../message/park-reasons.ts";
import type { DlqId, MessageId } from "../message/dead-letter.ts";
import type { DrainName } from "./ids.ts";

/** The POSTs made under one deduplication id. */
export interface Series {
  /** 1 for the plain id, 2 for `…-2` and so on. */
  readonly suffix: number;
  /** Set by the first begin of the series and never renewed while one of its POSTs may be unanswered. */
  readonly firstAt: number;
  /** POSTs begun, the current one included, those certainly not sent excluded. */
  readonly posts: number;
  /** POSTs with a certain refusal. posts − refusals (− 1 for the one in flight) are unanswered. */
  readonly refusals: number;
  /** Earlier series that may have been accepted. Each is a delivery that nobody can rule out. */
  readonly doubts: number;
}

/**
 * The permission to try a parked record once more. `by-person`: a person granted one attempt, for any park reason.
 * `listed-again`: it was parked as vanished and is listed after all, or the same rules decide otherwise by now.
 */
export type Released = false | "by-person" | "listed-again";

/** Proven, and still to be deleted. */
interface Settling {
  readonly at: number;
  /** A DELETE failed. Stays true until the record is gone. */
  readonly deleteFailed: boolean;
  /** A DELETE was sent and not confirmed. The record is searched for before the next DELETE. */
  readonly maybeGone: boolean;
  /** Its worker may be about to delete it: no takeover, lost worker, DELETE or come-back denies it. */
  readonly isBeingDeleted: boolean;
  /** It entered the DLQ when it was created, so both meanings of a source's dates agree on it. */
  readonly datesAgree: boolean;
  readonly messageId: MessageId | null;
}

export type LedgerView =
  | { readonly state: "absent" }
  | {
      readonly state: "cool";
      readonly dueAt: number;
      readonly refusedAlone: number;
      /** Redrives known to have been made; after a release one less, which is the attempt granted. */
      readonly attempt: number;
      /** After a release, `attempt` replaces the lineage's count. */
      readonly released: Released;
      readonly suffix: number;
    }
  | {
      readonly state: "open";
      readonly drain: DrainName;
      /** Its POSTs were the service's own retry: what is still listed was not published by them. */
      readonly via?: "service";
      readonly series: Series;
      readonly lastAt: number;
      /** Redrives known to have been made before the one in doubt: the begin's `attempt` less one. */
      readonly attempt: number;
      readonly messageId: MessageId;
      /** The release before its begin. It is not spent while the outcome is unknown. */
      readonly released: Released;
      /** now > lastAt + takeoverAfter, or its worker was lost: neither published nor not published until reconciled. */
      readonly unknown: boolean;
      /** now > firstAt + postHorizon: no further POST of this series. Never of the service's own retry. */
      readonly pastHorizon: boolean;
      /** Begun to be discarded, by a person's order. It is finished, whatever the rules say. */
      readonly isDiscarded?: true;
    }
  | (Settling & {
      readonly state: "published";
      readonly as: MessageId;
      readonly drain: DrainName | null;
      readonly cameBack?: true;
    })
  | (Settling & { readonly state: "archived"; readonly file: string; readonly drain: DrainName })
  /** `at`: when it became a tombstone, by the ledger's time. `cameBack`: a page has met its come-back. */
  | {
      readonly state: "gone";
      readonly at: number;
      readonly cameBack?: true;
      /** It was archived, and not published. */
      readonly wasArchived?: true;
    }
  | {
      readonly state: "parked";
      readonly reason: ParkReason;
      readonly drain: DrainName;
      readonly rulesHash: string;
      readonly attempt: number;
      readonly failure?: string;
      readonly suffix: number;
    }
  /** Another version of redriver wrote it in its own layout. Nothing may act on it or change it. */
  | { readonly state: "other-version" };

/**
 * A record parked for these is decided again whenever its drain lists it, because rules, time, settings or the
 * build may have changed. Every other park waits for a person.
 */
export const reasonsDecidedAgain = [
  "rule",
  "otherwise",
  "destination-not-allowed",
  "over-limit",
  "malformed-record",
] as const satisfies readonly ParkReason[];

export function isDecidedAgain(reason: ParkReason): boolean {
  return reasonsDecidedAgain.some((again) => again === reason);
}

export interface LedgerRow<View extends LedgerView = LedgerView> {
  readonly dlqId: DlqId;
  readonly view: View;
}
export type OpenEntry = LedgerRow<Extract<LedgerView, { state: "open" }>>;
export type ParkedDeadLetter = LedgerRow<Extract<LedgerView, { state: "parked" }>>;
export type PendingEntry = LedgerRow<Extract<LedgerView, { state: "published" | "archived" }>>;
