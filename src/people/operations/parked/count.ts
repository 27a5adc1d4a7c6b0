import type { FailureKind } from "../../../job/message/failure-kind.ts";
import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import { earlier } from "../../../job/contracts/tally.ts";
import { sumOf } from "../../read/totals.ts";
import type { FoundParked } from "./find.ts";

/** Parked records counted together. Times in Unix ms; null if none of them is in the queue. */
export interface ParkedCount {
  readonly count: number;
  readonly oldestEnteredAt: number | null;
  readonly firstExpiryAt: number | null;
}

export type ParkedCounts = ReturnType<ReturnType<typeof createParkedCount>["read"]>;
export type ParkedReason = ReturnType<ParkedCounts["reasons"]>[number];
type Why = Pick<FoundParked, "hasDrain"> & Pick<FoundParked["view"], "drain" | "reason">;

/** Of each kind. Strangers choose hosts and answers, so behind this many all new ones share a count. */
const maxKinds = 1_000;

export function createParkedCount() {
  const reasons = createKinds<Why>();
  const gone = new Map<string, number>();
  const hosts = createKinds<{ readonly host: string }>();
  /** The rule that matches now; null: none. */
  const rules = createKinds<{ readonly rule: string | null }>();
  const failures = createKinds<FailureKind>();
  let total = 0;

  const keyOf = ({ drain, hasDrain, reason }: Why): string => JSON.stringify([drain, hasDrain, reason]);

  return {
    add({ dlqId, view: { drain, reason }, hasDrain, letter, source }: FoundParked): void {
      total += 1;
      const enteredAt = letter === null ? null : enteredAtOfId(dlqId);
      const times =
        enteredAt === null
          ? noTimes
          : { oldestEnteredAt: enteredAt, firstExpiryAt: enteredAt + source.config.retentionMs };
      const why = { drain, hasDrain, reason };
      const key = keyOf(why);
      reasons.add(key, why, times);
      if (letter === null) gone.set(key, (gone.get(key) ?? 0) + 1);
      if (!letter) return;
      const { host, rule, failure } = letter;
      hosts.add(host, { host }, times);
      rules.add(JSON.stringify(rule), { rule }, times);
      failures.add(failure.id, failure, times);
    },
    read: () => ({
      total,
      /** `gone`: those of `count` that are no longer in the queue. */
      reasons: () => reasons.top(maxKinds).top.map((one) => ({ ...one, gone: gone.get(keyOf(one)) ?? 0 })),
      hosts: hosts.top,
      rules: rules.top,
      failures: failures.top,
    }),
  };
}

export type Top<Kind extends object> = ReturnType<ReturnType<typeof createKinds<Kind>>["top"]>;

type Times = Omit<ParkedCount, "count">;
const noTimes: Times = { oldestEnteredAt: null, firstExpiryAt: null };

function createKinds<Kind extends object>() {
  const kinds = new Map<string, Kind & ParkedCount>();
  let others = 0;
  return {
    add(key: string, kind: Kind, { oldestEnteredAt, firstExpiryAt }: Times): void {
      const known = kinds.get(key);
      if (known === undefined && kinds.size >= maxKinds) {
        others += 1;
        return;
      }
      kinds.set(key, {
        ...(known ?? kind),
        count: (known?.count ?? 0) + 1,
        oldestEnteredAt: earlier(known?.oldestEnteredAt ?? null, oldestEnteredAt),
        firstExpiryAt: earlier(known?.firstExpiryAt ?? null, firstExpiryAt),
      });
    },
    /** Most frequent first. `more`: how many others, as far as they are counted apart, and their records. */
    top(most: number) {
      const sorted = [...kinds.values()].toSorted((one, other) => other.count - one.count);
      const rest = sorted.slice(most);
      return {
        top: sorted.slice(0, most),
        more: {
          kinds: rest.length + (others > 0 ? 1 : 0),
          count: others + sumOf(rest, ({ count }) => count),
        },
      };
    },
  };
}
