/** Dead letters that no drain selects, by kind, as the census of their source counted. */
import type { UnselectedKind } from "../../job/contracts/source-book.ts";
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";
import type { Core } from "../../job/door.ts";
import { sumOf } from "./totals.ts";

/** Of one source. */
export interface OfNoDrain {
  readonly source: string;
  readonly at: number;
  /** Of kinds that the census does not name. */
  readonly others: number;
  readonly comeBacks: number;
  readonly kinds: readonly (UnselectedKind & { readonly expiresAt: number | null })[];
}

/** Of a census that counted as the document has the drains. Another one may have counted what a drain has now. */
export function toUnselected(sources: readonly Pick<QueueFacts["sources"][number], "census">[]): number {
  return sumOf(sources, ({ census }) => (census === null || census.isOutdated ? 0 : census.unselected));
}

export function toOfNoDrain(
  { sources }: Core,
  facts: Pick<QueueFacts, "sources">,
  isOrigin: (origin: string) => boolean,
): readonly OfNoDrain[] {
  return facts.sources.flatMap(({ source, census }) => {
    const retentionMs = sources.get(source)?.runtime.config.retentionMs ?? NaN;
    const kinds = (census?.unselectedKinds ?? [])
      .filter(({ origin }) => isOrigin(origin))
      .map((kind) => ({ ...kind, expiresAt: kind.since === null ? null : kind.since + retentionMs }));
    if (census === null || census.isOutdated || kinds.length === 0) return [];
    const others = census.unselected - sumOf(census.unselectedKinds ?? [], ({ count }) => count);
    return [{ source, at: census.at, others, comeBacks: census.strayComeBacks.count, kinds }];
  });
}
