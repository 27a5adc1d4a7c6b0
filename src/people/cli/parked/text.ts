import { enteredAtOfId } from "../../../job/message/parse-record.ts";
import { toSecond } from "../../operations/phrases.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { toFieldsText } from "../output/fields-text.ts";
import { toFailureRows } from "../plan/text.ts";
import type { ParkedCounts, ParkedReason } from "../../operations/parked/count.ts";
import type { FoundParked } from "../../operations/parked/find.ts";
import { toTable } from "../output/table.ts";

/** Of an answer in the table: enough to tell kinds apart. */
const answerCharacters = 40;

export function toParkedTable(columns: number, found: readonly FoundParked[]): string {
  return toTable(columns, found, {
    dlqId: ({ dlqId }) => dlqId,
    entered: ({ dlqId }) => toSecond(enteredAtOfId(dlqId)),
    "parked for": ({ view }) => view.reason,
    drain: toDrain,
    "rule now": ({ letter }) => letter?.rule ?? "-",
    host: toHost,
    status: ({ letter }) => letter?.status ?? "-",
    answer: toAnswer,
    attempts: ({ view }) => view.attempt,
  });
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
  const { top, more } = failures(Infinity);
  if (total < 2 || top.length === 0) return "";
  return toFieldsText(columns, { "failures that look alike": toFailureRows(top, more) }, 0);
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
