import { toPrintable } from "../../message/masked-text.ts";
import { createTopCount } from "../../redrive/plan/top-count.ts";
import type { Signature } from "../../message/signature/signature-of.ts";
import { failuresHeading, shownFailures, toFailureLine, toOtherFailures } from "../output/failures.ts";
import type { FoundParked } from "./find.ts";
import { toTable } from "../output/table.ts";

/** Of an answer in the table: enough to tell kinds apart. */
const answerCharacters = 40;

export function toParkedTable(found: readonly FoundParked[]): string {
  return toTable(
    ["dlqId", "entered", "parked for", "drain", "rule now", "host", "status", "answer", "attempts"],
    found.map((one) => [
      one.dlqId,
      new Date(enteredAtOf(one.dlqId)).toISOString(),
      one.view.reason,
      toDrain(one),
      one.letter?.rule ?? "-",
      toHost(one),
      one.letter?.status ?? "-",
      toAnswer(one),
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

function toAnswer({ letter }: FoundParked): string {
  if (!letter?.signature) return "-";
  const characters = Array.from(letter.signature.text);
  const head = characters.slice(0, answerCharacters - 1).join("");
  return toPrintable(characters.length > answerCharacters ? `${head}…` : letter.signature.text);
}

/** How many failed in which way, most first; empty where there is one at most, or none is in the queue any more. */
export function toParkedFailures(columns: number, found: readonly FoundParked[]): string {
  const signatures = new Map<string, Signature>();
  const kinds = createTopCount<string>(found.length);
  for (const { letter } of found) {
    if (!letter?.signature) continue;
    signatures.set(letter.signature.key, letter.signature);
    kinds.add(letter.signature.key);
  }
  if (found.length < 2 || signatures.size === 0) return "";
  const { top, more } = kinds.top(shownFailures);
  return [
    failuresHeading,
    ...top.map(({ key, count }) => toFailureLine(columns, { ...signatures.get(key)!, count })),
    more.count === 0 ? "" : toOtherFailures(more.count, String(more.kinds)),
  ].join("");
}

export function toParkedJson({ dlqId, source, hasDrain, view, letter }: FoundParked): object {
  const { reason, drain, attempt } = view;
  return {
    dlqId,
    enteredAt: enteredAtOf(dlqId),
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
  const counts: { readonly drain: string; readonly reason: string; count: number }[] = [];
  for (const one of found) {
    const drain = toDrain(one);
    const { reason } = one.view;
    const same = counts.find((count) => count.drain === drain && count.reason === reason);
    if (same === undefined) counts.push({ drain, reason, count: 1 });
    else same.count += 1;
  }
  return toTable(
    ["drain", "parked for", "count"],
    counts.map(({ drain, reason, count }) => [drain, reason, count]),
  );
}

export function enteredAtOf(dlqId: string): number {
  return Number(dlqId.slice(0, dlqId.indexOf("-")));
}
