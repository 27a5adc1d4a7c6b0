import { enteredAtOfId } from "../../message/parse-record.ts";
import { joined } from "../output/phrases.ts";
import { toPrintable } from "../../message/show-masked-values.ts";
import { createTopCount } from "../../redrive/plan/top-count.ts";
import type { Signature } from "../../message/signature/signature-of.ts";
import {
  failuresHeading,
  shownFailures,
  toFailureLine,
  toOtherFailures,
} from "../output/failure-group-text.ts";
import type { FoundParked } from "./find.ts";
import { toTable } from "../output/table.ts";

/** Of an answer in the table: enough to tell kinds apart. */
const answerCharacters = 40;

export function toParkedTable(found: readonly FoundParked[]): string {
  return toTable(found, {
    dlqId: ({ dlqId }) => dlqId,
    entered: ({ dlqId }) => new Date(enteredAtOfId(dlqId)).toISOString(),
    "parked for": ({ view }) => view.reason,
    drain: toDrain,
    "rule now": ({ letter }) => letter?.rule ?? "-",
    host: toHost,
    status: ({ letter }) => letter?.status ?? "-",
    answer: toAnswer,
    attempts: ({ view }) => view.attempt,
  });
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

/** How many failed in which way, most first; empty for one at most, or if none is in the queue any more. */
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
  return joined(
    failuresHeading,
    ...top.map(({ key, count }) => toFailureLine(columns, { ...signatures.get(key)!, count })),
    more.count > 0 && toOtherFailures(more.count, String(more.kinds)),
  );
}

export function toParkedJson({ dlqId, source, hasDrain, view, letter }: FoundParked): object {
  const { reason, drain, attempt } = view;
  return {
    dlqId,
    enteredAt: enteredAtOfId(dlqId),
    source: source.config.id,
    drain,
    drainInDocument: hasDrain,
    reason,
    attempt,
    ...(letter === undefined ? {} : { listed: letter !== null, ...letter }),
    ...(letter ? { failure: letter.failure.id } : {}),
  };
}

export function toParkedCounts(found: readonly FoundParked[]): string {
  const groups = new Map<string, FoundParked[]>();
  for (const one of found) {
    const key = JSON.stringify([toDrain(one), one.view.reason]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return toTable([...groups.values()], {
    drain: ([one]) => toDrain(one!),
    "parked for": ([one]) => one!.view.reason,
    count: ({ length }) => length,
  });
}
