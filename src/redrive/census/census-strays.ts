import type { StrayComeBacks } from "../../ports/source-book.ts";
import type { RawRecord } from "../../message/dead-letter.ts";
import { readLineage, type LineageKey } from "../../message/lineage.ts";
import { parseRecord } from "../../message/parse-record.ts";
import { hostOf } from "../../message/destination.ts";

/** Pairs of host and status beyond this many are counted only in the total. */
const maxGroups = 1_000;
const shownGroups = 3;

export interface StrayCount {
  /** Counts the come-backs among records that no drain selects. */
  add(unselected: readonly RawRecord[], lineageKeys: readonly LineageKey[]): void;
  counted(): StrayComeBacks;
}

/** Counts come-backs that no drain selects any more. Costs a hash of each record with a lineage. */
export function countStrays(): StrayCount {
  const groups = new Map<string, { host: string; status: number | null; count: number }>();
  let count = 0;
  return {
    add(unselected, lineageKeys) {
      for (const raw of unselected) {
        const parsed = parseRecord(raw);
        if (parsed.kind !== "letter") continue;
        const { letter } = parsed;
        if (readLineage(letter, lineageKeys).kind !== "come-back") continue;
        count += 1;
        const host = hostOf(letter.url);
        const status = letter.responseStatus ?? null;
        const key = JSON.stringify([host, status]);
        const group = groups.get(key);
        if (group !== undefined) group.count += 1;
        else if (groups.size < maxGroups) groups.set(key, { host, status, count: 1 });
      }
    },
    counted: () => ({
      count,
      top: [...groups.values()].toSorted((one, other) => other.count - one.count).slice(0, shownGroups),
    }),
  };
}
