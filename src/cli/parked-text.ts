import { toPrintable } from "../message/masked-text.ts";
import type { FoundParked } from "./parked-filter.ts";
import { toTable } from "./table.ts";

export function toParkedTable(found: readonly FoundParked[]): string {
  return toTable(
    ["dlqId", "entered", "parked for", "drain", "rule now", "host", "status", "attempts"],
    found.map((one) => [
      one.dlqId,
      new Date(enteredAtOf(one)).toISOString(),
      one.view.reason,
      toDrain(one),
      one.letter?.rule ?? "-",
      toHost(one),
      one.letter?.status ?? "-",
      one.view.attempt,
    ]),
  );
}

export function toDrain({ view, hasDrain }: FoundParked): string {
  return hasDrain ? view.drain : `${view.drain} (not in the document)`;
}

function toHost({ letter }: FoundParked): string {
  if (letter === null) return "(gone from the queue)";
  return letter === undefined ? "-" : toPrintable(letter.host);
}

export function toParkedJson({ dlqId, source, hasDrain, view, letter }: FoundParked): object {
  const { reason, drain, attempt } = view;
  return {
    dlqId,
    enteredAt: Number(dlqId.slice(0, dlqId.indexOf("-"))),
    source: source.config.id,
    drain,
    drainInDocument: hasDrain,
    reason,
    attempt,
    ...(letter === undefined ? {} : { listed: letter !== null, ...letter }),
  };
}

/** How many of which drain, for which reason. */
export function toParkedCounts(found: readonly FoundParked[]): string {
  const counts = new Map<string, { readonly drain: string; readonly reason: string; count: number }>();
  for (const one of found) {
    const drain = toDrain(one);
    const { reason } = one.view;
    const key = JSON.stringify([drain, reason]);
    const count = counts.get(key);
    if (count === undefined) counts.set(key, { drain, reason, count: 1 });
    else count.count += 1;
  }
  return toTable(
    ["drain", "parked for", "count"],
    [...counts.values()].map(({ drain, reason, count }) => [drain, reason, count]),
  );
}

function enteredAtOf({ dlqId }: FoundParked): number {
  return Number(dlqId.slice(0, dlqId.indexOf("-")));
}
