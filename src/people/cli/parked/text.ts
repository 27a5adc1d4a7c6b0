import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import { joined } from "../../operations/phrases.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import {
  failuresHeading,
  shownFailures,
  toFailureLine,
  toOtherFailures,
} from "../output/failure-group-text.ts";
import type { ParkedCounts, ParkedReason } from "../../operations/parked/count.ts";
import type { FoundParked } from "../../operations/parked/find.ts";
import { toFittingTable } from "../output/table.ts";

/** Of an answer in the table: enough to tell kinds apart. */
const answerCharacters = 40;

/** Characters on a terminal: a `dlqId` has mostly 15, a reason at most 23. */
const kept = { dlqId: 40, entered: 20, "parked for": 23, drain: 14 };

export function toParkedTable(columns: number, found: readonly FoundParked[]): string {
  const all = {
    dlqId: ({ dlqId }: FoundParked) => dlqId,
    entered: ({ dlqId }: FoundParked) => new Date(enteredAtOfId(dlqId)).toISOString(),
    "parked for": ({ view }: FoundParked) => view.reason,
    drain: toDrain,
    "rule now": ({ letter }: FoundParked) => letter?.rule ?? "-",
    host: toHost,
    status: ({ letter }: FoundParked) => letter?.status ?? "-",
    answer: toAnswer,
    attempts: ({ view }: FoundParked) => view.attempt,
  };
  return toFittingTable(columns, found, all, kept);
}

export function toDrain({ view: { drain }, hasDrain }: FoundParked): string {
  return toDrainName({ drain, hasDrain });
}

export function toDrainName({ drain, hasDrain }: Pick<ParkedReason, "drain" | "hasDrain">): string {
  return hasDrain ? drain : `${drain} (not in the document)`;
}

function toHost({ letter }: FoundParked): string {
  if (letter === null) return "(gone from the queue)";
  return letter === undefined ? "-" : toPrintable(letter.host);
}

function toAnswer({ letter }: FoundParked): string {
  if (!letter) return "-";
  const { text } = letter.failure;
  const characters = Array.from(text);
  const head = characters.slice(0, answerCharacters - 1).join("");
  return toPrintable(characters.length > answerCharacters ? `${head}…` : text);
}

/** How many failed in which way, most first; empty for one at most, or if none is in the queue any more. */
export function toParkedFailures(columns: number, { total, failures }: ParkedCounts): string {
  const { top, more } = failures(shownFailures);
  if (total < 2 || top.length === 0) return "";
  return joined(
    failuresHeading,
    ...top.map((failure) => toFailureLine(columns, failure)),
    more.count > 0 && toOtherFailures(more.count, String(more.kinds)),
  );
}

export function toParkedJson({ dlqId, source, hasDrain, view, letter }: FoundParked): object {
  const { reason, drain, attempt } = view;
  const enteredAt = enteredAtOfId(dlqId);
  return {
    dlqId,
    enteredAt,
    expiresAt: enteredAt + source.config.retentionMs,
    source: source.config.id,
    drain,
    drainInDocument: hasDrain,
    reason,
    attempt,
    ...(letter === undefined ? {} : { listed: letter !== null, ...letter }),
    ...(letter ? { failure: letter.failure.id, answer: letter.failure.text } : {}),
  };
}
