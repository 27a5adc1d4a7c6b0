import type { ParkReason } from "../../../job/message/park-reasons.ts";
import type { FailureKind } from "../../../job/message/failure-kind.ts";
import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { earlier } from "../../../job/contracts/tally.ts";
import type { FoundParked } from "./find.ts";

/** Parked records counted together. Times in Unix ms; null if none of them is in the queue. */
export interface ParkedCount {
  readonly count: number;
  readonly oldestEnteredAt: number | null;
  readonly firstExpiryAt: number | null;
}

export interface ParkedReason extends ParkedCount {
  readonly drain: DrainName;
  readonly hasDrain: boolean;
  readonly reason: ParkReason;
  /** Those of `count` that are no longer in the queue. */
  readonly gone: number;
}

export interface Top<Kind> {
  /** Most frequent first. */
  readonly top: readonly (Kind & ParkedCount)[];
  /** All others: how many kinds, as far as they are counted apart, and their records. */
  readonly more: { readonly kinds: number; readonly count: number };
}

export interface ParkedCounts {
  readonly total: number;
  reasons(): readonly ParkedReason[];
  hosts(most: number): Top<{ readonly host: string }>;
  /** The rule that matches now; null: none. */
  rules(most: number): Top<{ readonly rule: string | null }>;
  failures(most: number): Top<FailureKind>;
}

/** Of each kind. Strangers choose hosts and answers, so behind this many all new ones share a count. */
const maxKinds = 1_000;

/** Counts parked records one by one, in bounded memory. */
export function createParkedCount() {
  const reasons = createKinds<Pick<ParkedReason, "drain" | "hasDrain" | "reason">>();
  const gone = new Map<string, number>();
  const hosts = createKinds<{ readonly host: string }>();
  const rules = createKinds<{ readonly rule: string | null }>();
  const failures = createKinds<FailureKind>();
  let total = 0;

  const keyOf = ({ drain, hasDrain, reason }: Pick<ParkedReason, "drain" | "hasDrain" | "reason">): string =>
    JSON.stringify([drain, hasDrain, reason]);

  return {
    add({ dlqId, view: { drain, reason }, hasDrain, letter, source }: FoundParked): void {
      total += 1;
      const enteredAt = letter === null ? null : enteredAtOfId(dlqId);
      const times =
        enteredAt === null
          ? noTimes
          : { oldestEnteredAt: enteredAt, firstExpiryAt: enteredAt + source.config.retentionMs };
      const key = keyOf({ drain, hasDrain, reason });
      reasons.add(key, () => ({ drain, hasDrain, reason }), times);
      if (letter === null) gone.set(key, (gone.get(key) ?? 0) + 1);
      if (!letter) return;
      const { host, rule, failure } = letter;
      hosts.add(host, () => ({ host }), times);
      rules.add(JSON.stringify(rule), () => ({ rule }), times);
      failures.add(failure.id, () => failure, times);
    },
    read: (): ParkedCounts => ({
      total,
      reasons: () => reasons.top(maxKinds).top.map((one) => ({ ...one, gone: gone.get(keyOf(one)) ?? 0 })),
      hosts: hosts.top,
      rules: rules.top,
      failures: failures.top,
    }),
  };
}

type Times = Omit<ParkedCount, "count">;
const noTimes: Times = { oldestEnteredAt: null, firstExpiryAt: null };

function createKinds<Kind extends object>() {
  const kinds = new Map<string, Kind & ParkedCount>();
  let others = 0;
  return {
    add(key: string, toKind: () => Kind, { oldestEnteredAt, firstExpiryAt }: Times): void {
      const known = kinds.get(key);
      if (known === undefined && kinds.size >= maxKinds) {
        others += 1;
        return;
      }
      kinds.set(key, {
        ...(known ?? toKind()),
        count: (known?.count ?? 0) + 1,
        oldestEnteredAt: earlier(known?.oldestEnteredAt ?? null, oldestEnteredAt),
        firstExpiryAt: earlier(known?.firstExpiryAt ?? null, firstExpiryAt),
      });
    },
    top(most: number): Top<Kind> {
      const sorted = [...kinds.values()].toSorted((one, other) => other.count - one.count);
      const rest = sorted.slice(most);
      return {
        top: sorted.slice(0, most),
        more: {
          kinds: rest.length + (others > 0 ? 1 : 0),
          count: rest.reduce((sum, { count }) => sum + count, others),
        },
      };
    },
  };
}
