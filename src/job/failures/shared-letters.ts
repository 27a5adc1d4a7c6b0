/** Letters that other drains of the source list too: what leaves the queue by one of them waits in none. */
import type { DrainConfig } from "../contracts/drains-document.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import { inCountingOrder } from "../contracts/failures.ts";
import type { DrainName, Identities } from "../contracts/ids.ts";
import type { PassBook } from "../contracts/passes.ts";
import { createDrainSelects } from "../listing/drain-selects.ts";
import type { RawRecord } from "../message/dead-letter.ts";
import { countedAs } from "../message/failure-kind.ts";
import { areDisjoint } from "../message/select.ts";
import { toShortId } from "../message/short-id.ts";
import { FailureTally } from "./count-failures.ts";
import type { Letter } from "../page/letter.ts";
import type { RecordFailures } from "./record-failures.ts";

export type SharedLetters = NonNullable<ReturnType<typeof createSharedLetters>>;

/** `rank`: in the counting order. */
interface Other extends Pick<DrainConfig, "name" | "mode" | "paused"> {
  readonly rank: number;
}

type CountedLetter = Pick<Letter, "failure" | "dlqId">;
type ComeBack = CountedLetter & Pick<Letter, "raw" | "parentFailure" | "parentRule">;

interface Counting {
  readonly recordFailures: RecordFailures;
  readonly passes: PassBook;
  readonly identities: Identities;
  readonly config: { readonly retentionMs: number };
}

/** The same as long as the same drain of these, which are all of a source, counts the same letter. */
export function toCountingKey(
  drains: readonly Pick<DrainConfig, "name" | "mode" | "select" | "dates">[],
): string {
  const counting = inCountingOrder(drains).map(({ name, mode, select, dates }) => [
    name,
    mode,
    select,
    dates,
  ]);
  return toShortId("counting", JSON.stringify(counting));
}

/** Under which a ledger's entry names what this drain sent. What a person publishes may have no rule. */
export function ruleIdsOf({ name, rules }: Pick<DrainConfig, "name" | "rules">): ReadonlySet<string> {
  return new Set(["", ...rules.map((rule) => rule.name)].map((rule) => toShortId(name, rule)));
}

/** Null if no other of these drains of its source can list what this one lists: then nothing of it is counted. */
export function createSharedLetters(
  own: DrainConfig,
  drains: readonly DrainConfig[],
  { recordFailures, passes, identities, config: { retentionMs } }: Counting,
) {
  const ordered = inCountingOrder(drains);
  const ownRank = ordered.findIndex(({ name }) => name === own.name);
  const others = ordered.flatMap((drain, rank) => {
    const { name, mode, paused, select } = drain;
    const mayShare = rank !== ownRank && !areDisjoint(select, own.select);
    return mayShare
      ? [
          {
            drain: { name, mode, paused, rank },
            ruleIds: ruleIdsOf(drain),
            selects: createDrainSelects(drain, null),
          },
        ]
      : [];
  });
  if (others.length === 0) return null;
  /** Of those that list it, only the first counts it for the source. */
  const isAgain = (rank: number, by: readonly Other[]): boolean =>
    ownRank < rank || by.some((other) => other.rank < rank);
  const unwritten = new Map<DrainName, FailureTally>();
  const tallyOf = (name: DrainName): FailureTally => {
    const tally = unwritten.get(name) ?? new FailureTally();
    unwritten.set(name, tally);
    return tally;
  };
  const of = (record: RawRecord, now: number): readonly Other[] =>
    others.flatMap(({ drain, selects }) => (selects(record, now) ? [drain] : []));
  return {
    names: others.map(({ drain }) => drain.name),
    /** The others that list a record. `now`: Unix ms by the service's clock. */
    of,
    kindOf: (by: readonly Other[], { failure }: Pick<CountedLetter, "failure">) =>
      countedAs(failure, isAgain(ownRank, by)),
    /** It was published or dropped here. */
    took(by: readonly Other[], { failure, dlqId }: CountedLetter): void {
      for (const { name, rank } of by) {
        tallyOf(name).named(countedAs(failure, isAgain(rank, by)), dlqId, "taken", dlqId);
      }
    },
    /** It was parked here, or released: 1 or -1. What a drain that plans would park is its own. */
    parked(by: readonly Other[], { failure, dlqId }: CountedLetter, change: number): void {
      for (const { name, mode, rank } of by) {
        if (mode === "live")
          tallyOf(name).add(countedAs(failure, isAgain(rank, by)), dlqId, "parked", change);
      }
    },
    /** Another drain lists this come-back and notes it, which one that plans cannot. */
    isNotedElsewhere: ({ raw }: Pick<ComeBack, "raw">, now: number): boolean =>
      of(raw, now).some(({ mode, paused }) => mode === "live" && !paused),
    /** Whichever of them sent what came back, also if it does not list the come-back; null: none of them. */
    senderOf({ parentRule }: Pick<ComeBack, "parentRule">): DrainName | null {
      if (parentRule === null) return null;
      return others.find(({ ruleIds }) => ruleIds.has(parentRule))?.drain.name ?? null;
    },
    failedAgain: (sender: DrainName, letter: ComeBack): void => tallyOf(sender).failedAgain(letter),
    /** Counts it there. A call that fails is not made again: the next full passes count anew. */
    write: () =>
      unlessRedisAway(async () => {
        for (const [name, tally] of unwritten) {
          unwritten.delete(name);
          const counts = await recordFailures(name, tally);
          await passes.countActs(name, identities.token(), counts, retentionMs);
        }
      }, undefined),
  };
}
