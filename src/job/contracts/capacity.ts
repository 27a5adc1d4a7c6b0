import type { Rate } from "../rules/rule-spec.ts";
import type { LimitsConfig } from "./drains-document.ts";
import type { DrainName, PassId, SourceId } from "./ids.ts";

export type { Rate } from "../rules/rule-spec.ts";

export interface CapacityRequest {
  /** Destination host with port, in lower case, or `queue:<name>` for a queue record. */
  readonly host: string;
  readonly rule: string | null;
  readonly ruleLimit?: Rate;
  /** `again`: an earlier POST may have been accepted. No ceiling: its wait would turn a hit into a double. */
  readonly post: "first" | "again";
  /** A canary of a lane's step: a learned rate counts those apart, because their failures show at once. */
  readonly isCanary?: true;
  /** Redis time of its grant: it moves to now if the rates have room, else stays. Ceilings are not asked. */
  readonly grantedAt?: number;
}

export type CapacityVerdict =
  | { readonly kind: "granted" }
  /** `until`: its earliest grant behind those before it. `perSecond`: the rate, if it is learned. */
  | {
      readonly kind: "wait";
      /** `service`: what was published before is not known to be delivered. */
      readonly by: RateKind | "service";
      readonly until: number;
      readonly perSecond?: number;
    }
  /** `until`: the next UTC day, or null for a pass: its ceiling ends with it. */
  | { readonly kind: "ceiling"; readonly by: "pass" | "day"; readonly until: number | null };

/** `publish`, `host`: the drain's `limits.publish` and `limits.perHost`. `rule`: the rule's own `limit`. */
export type RateKind = "publish" | "host" | "rule";

/** What a source may have published and not know to be delivered (`maxParallelism`). */
export interface UndeliveredLimit {
  /** Deliveries that the account makes at once. */
  readonly max: number;
  /** How long one is taken to be while nothing is known of any, and at most. */
  readonly slowMs: number;
  readonly asks?: true;
}

/** A reported delivery, or what the service said. `granted`: of the take that wanted it asked. */
export type DeliveryNews =
  | { readonly tookMs: number }
  | { readonly load: { readonly count: number; readonly max: number }; readonly granted: number };

export interface CapacityQuery {
  readonly source: SourceId;
  readonly drain: DrainName;
  /** Null: no pass (a person's order), so no ceiling of a pass. */
  readonly passId: PassId | null;
  readonly limits: LimitsConfig;
  /** Of the whole source. Absent: no limit. */
  readonly undelivered?: UndeliveredLimit;
  /** In order of preference; at most 100. */
  readonly requests: readonly CapacityRequest[];
}

/** A message of this host was redriven and failed again as in an outage. */
export interface FailedAgain {
  readonly host: string;
  /** Each counts once, as far as the last ones are remembered. */
  readonly parentDlqId: string;
  readonly isCanary: boolean;
}

export interface LearnedRate {
  readonly host: string;
  readonly perSecond: number;
  /** Redis time of the beginning of its watch, Unix ms. */
  readonly since: number;
  readonly sent: number;
  readonly failedAgain: number;
}

/** Grants of ceilings so far. Each is counted only while the drain has such a ceiling. */
export interface CeilingUse {
  readonly day: number;
  /** Grants of the queried pass; 0 for none. */
  readonly pass: number;
  /** End of the UTC day, Unix ms. */
  readonly dayEndsAt: number;
  readonly at: number;
}

/**
 * Rates and ceilings of publishes, shared by all replicas; each drain has its own. Guarantees, by Redis's clock:
 *
 * - A rate of `count` in `perMs` grants at most `count` in any span [t, t + perMs), and at most g = max(1,
 *   ⌊count · 1 s / perMs⌋), one second's worth, in any span [t, t + perMs / ⌊count / g⌋). So a rate per
 *   second may be used in one burst, and a longer one is spread: 600/m grants 10 in any second, 1000/h one in
 *   any 3.6 s.
 * - A ceiling grants at most its number in one pass, or in one UTC day.
 * - One script and one round trip per call. A request that one rate or ceiling refuses takes nothing from the
 *   others.
 *
 * Of a source with a limit of what is undelivered, at most three times its `max` is granted and not released.
 * It is released once it is older than a delivery takes, as far as is known, or than `slowMs`; and at once by an
 * answer of the service that nothing waits.
 *
 * A learned rate (`AutoRate`) begins at `from`. It doubles, up to `to`, after a watch in which at least half of
 * it was granted and nothing failed again. It halves, at most once in a watch and never below a tenth of
 * `from` or 1/s, if more than a twentieth failed again: of the canaries, or of everything granted. It is
 * forgotten an hour after its last grant, or earlier if it is still `from` and nothing failed.
 *
 * Grants are counted, not POSTs. A POST follows its grant within half a second, or the grant is moved first
 * (`grantedAt`). The retries and halves of one publish need no grant of their own. While replicas run under
 * different documents, each applies its own numbers to the grants of all. Fails with `redis-unavailable`: then
 * nothing is granted, or a grant is lost until its time has passed.
 */
export interface Capacity {
  /** Verdicts in order; `at` is Redis time, Unix ms. A refused request uses up no room of a later one. */
  take(query: CapacityQuery): Promise<{
    readonly verdicts: readonly CapacityVerdict[];
    readonly at: number;
    /** The service is to be asked now, as `learn` then says. One caller a second gets it. */
    readonly ask?: { readonly granted: number };
  }>;
  learn(source: SourceId, limit: UndeliveredLimit, news: DeliveryNews): Promise<void>;
  /** Restores grants without a POST: `query` has only those requests, `at` is the take's. Once per grant. */
  giveBack(query: CapacityQuery, at: number): Promise<void>;
  /** Takes and changes nothing. */
  used(of: Pick<CapacityQuery, "source" | "drain" | "passId">): Promise<CeilingUse>;
  /** For hosts with a learned rate; of any other it changes nothing. At most 1,000. */
  failedAgain(of: Pick<CapacityQuery, "source" | "drain">, failures: readonly FailedAgain[]): Promise<void>;
  /** Of the hosts that were used in the last hour: those whose watch began last, at most 500. */
  learned(of: Pick<CapacityQuery, "source" | "drain">, max: number): Promise<readonly LearnedRate[]>;
}
