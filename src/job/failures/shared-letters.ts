/** Letters that other drains of the source list too: what leaves the queue by one of them waits in none. */
import type { DrainConfig } from "../contracts/drains-document.ts";
import type { DrainName, Identities } from "../contracts/ids.ts";
import type { PassBook } from "../contracts/passes.ts";
import { createDrainSelects } from "../listing/drain-selects.ts";
import type { RawRecord } from "../message/dead-letter.ts";
import { areDisjoint } from "../message/select.ts";
import { createFailureTally, type FailureTally } from "./count-failures.ts";
import type { Letter } from "../page/letter.ts";
import type { RecordFailures } from "./record-failures.ts";

export type SharedLetters = NonNullable<ReturnType<typeof createSharedLetters>>;

type Other = Pick<DrainConfig, "name" | "mode">;

type CountedLetter = Pick<Letter, "failure" | "dlqId" | "enteredAt">;

interface Counting {
  readonly recordFailures: RecordFailures;
  readonly passes: PassBook;
  readonly identities: Identities;
  readonly config: { readonly retentionMs: number };
}

/** Null if no other of these drains of its source can list what this one lists: then nothing of it is counted. */
export function createSharedLetters(
  own: DrainConfig,
  drains: readonly DrainConfig[],
  { recordFailures, passes, identities, config: { retentionMs } }: Counting,
) {
  const others = drains
    .filter(
      ({ name, source, select }) =>
        name !== own.name && source.id === own.source.id && !areDisjoint(select, own.select),
    )
    .map((drain) => ({ drain, selects: createDrainSelects(drain, null) }));
  if (others.length === 0) return null;
  const unwritten = new Map<DrainName, FailureTally>();
  const tallyOf = (name: DrainName): FailureTally => {
    const tally = unwritten.get(name) ?? createFailureTally();
    unwritten.set(name, tally);
    return tally;
  };
  return {
    names: others.map(({ drain }) => drain.name),
    /** The others that list a record. `now`: Unix ms by the service's clock. */
    of: (record: RawRecord, now: number): readonly Other[] =>
      others.flatMap(({ drain, selects }) => (selects(record, now) ? [drain] : [])),
    /** It was published or dropped here. */
    took(by: readonly Other[], { failure, dlqId, enteredAt }: CountedLetter): void {
      for (const { name } of by) tallyOf(name).named(failure, dlqId, "taken", String(enteredAt));
    },
    /** It was parked here, or released: 1 or -1. What a drain that plans would park is its own. */
    parked(by: readonly Other[], { failure, dlqId }: CountedLetter, change: number): void {
      for (const { name, mode } of by) {
        if (mode === "live") tallyOf(name).add(failure, dlqId, "parked", change);
      }
    },
    /** Counts it there. A call that fails is not made again: the next full passes count anew. */
    async write(): Promise<void> {
      for (const [name, tally] of unwritten) {
        unwritten.delete(name);
        const counts = await recordFailures(name, tally);
        await passes.countActs(name, identities.token(), counts, retentionMs);
      }
    },
  };
}
