import type { FailureView } from "../../read/failure-views.ts";
import { toExpiredKind, type OfNoDrain } from "../../read/of-no-drain.ts";
import { cut, present, toAge } from "../../operations/phrases.ts";
import { toCount, toTable } from "../output/table.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toAnswerText } from "../../read/answer-text.ts";

/** A note in a mark: the ticket says more than the first words of a text. */
const maxNote = 16;

/** Kinds of failure. `now`: Unix ms. */
export function toFailureTable(columns: number, failures: readonly FailureView[], now: number): string {
  if (failures.length === 0) return "";
  return toTable(columns, failures, {
    destination: ({ origin }) => toDestinationText(origin),
    id: ({ id }) => id,
    waiting: (one) => toCount(one.waiting, one),
    parked: (one) => toCount(one.parked, one),
    arrived: ({ arrived }) => arrived,
    "sent again": ({ published }) => published,
    "failed again": ({ failedAgain }) => failedAgain,
    since: ({ since }) => (since === null ? "-" : toAge(since, now)),
    "last seen": ({ lastSeenAt }) => toAge(lastSeenAt, now),
    state: ({ state }) => state,
    owner: ({ owner }) => owner?.name ?? "-",
    mark: toMarkText,
    answer: toAnswerText,
  });
}

/** Below the kinds of drains; empty if every dead letter is of one. */
export function toOfNoDrainText(columns: number, ofNoDrain: readonly OfNoDrain[], now: number): string {
  const kinds = ofNoDrain.flatMap((one) => one.kinds);
  if (kinds.length === 0) return "";
  const table = toTable(columns, kinds, {
    destination: ({ origin }) => toDestinationText(origin),
    id: ({ id }) => id,
    "in the queue": (kind) => toCount(kind.count, { ...toExpiredKind(kind, now), stillCounting: false }),
    since: ({ since }) => (since === null ? "-" : toAge(since, now)),
    answer: toAnswerText,
  });
  return `\nof no drain: nothing sends them, and they expire\n${table}`;
}

function toMarkText({ isNew, isQuiet, quietEnded, note }: FailureView): string {
  const marks = present([
    isNew && "new",
    isQuiet && "quiet",
    quietEnded !== null && quietEnded !== "time" && "changed",
    note !== null && cut(note.ticket || note.text, maxNote),
  ]);
  return marks.join(", ") || "-";
}
