import type { StrayComeBacks } from "../contracts/source-book.ts";
import type { RawRecord } from "../message/dead-letter.ts";
import { readLineage, type LineageKey } from "../message/lineage.ts";
import { parseRecord } from "../message/parse-record.ts";
import { hostOf } from "../message/destination-url.ts";

/** Pairs of host and status beyond this many are counted only in the total. */
const maxGroups = 1_000;
const shownGroups = 3;

/** Counts come-backs among records that no drain selects. Costs a hash of each record with a lineage. */
export function countStrays() {
  const groups = new Map<string, { host: string; status: number | null; count: number }>();
  let count = 0;
  return {
    find(unselected: readonly RawRecord[], lineageKeys: readonly LineageKey[]) {
      return unselected.flatMap((raw) => {
        const parsed = parseRecord(raw);
        if (parsed.kind !== "letter") return [];
        const { letter } = parsed;
        if (readLineage(letter, lineageKeys).kind !== "come-back") return [];
        return [{ host: hostOf(letter.url), status: letter.responseStatus ?? null }];
      });
    },
    add(comeBacks: readonly { readonly host: string; readonly status: number | null }[]): void {
      for (const { host, status } of comeBacks) {
        count += 1;
        const key = JSON.stringify([host, status]);
        const group = groups.get(key);
        if (group !== undefined) group.count += 1;
        else if (groups.size < maxGroups) groups.set(key, { host, status, count: 1 });
      }
    },
    counted: (): StrayComeBacks => ({
      count,
      top: [...groups.values()].toSorted((one, other) => other.count - one.count).slice(0, shownGroups),
    }),
  };
}
