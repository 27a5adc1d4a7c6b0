import type { FailureKind } from "../../../job/message/failure-kind.ts";
import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import { earlier } from "../../../job/contracts/tally.ts";
import { createThingCount } from "../../plan/top-count.ts";
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
  const kinds = createThingCount<Kind & { -readonly [Name in keyof Times]: Times[Name] }>(maxKinds);
  return {
    add(key: string, kind: Kind, { oldestEnteredAt, firstExpiryAt }: Times): void {
      const known = kinds.add(key, () => ({ ...kind, ...noTimes }));
      if (known === undefined) return;
      known.oldestEnteredAt = earlier(known.oldestEnteredAt, oldestEnteredAt);
      known.firstExpiryAt = earlier(known.firstExpiryAt, firstExpiryAt);
    },
    top: kinds.top,
  };
}
