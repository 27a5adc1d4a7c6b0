/** Kinds of failure as a table: on a terminal two lines each, within 80 columns; elsewhere one, for grep. */
import type { FailureView } from "../../read/failure-views.ts";
import type { OfNoDrain } from "../../read/of-no-drain.ts";
import { toAge, cut, present } from "../../operations/phrases.ts";
import { toCount, toTable } from "../output/table.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";

/** With the counts beside it, a million of each, 80 columns. */
const maxDestination = 25;
/** Of an answer in one line with everything else: enough to tell kinds apart. */
const maxAnswer = 40;

export function toFailureTable(columns: number, failures: readonly FailureView[], now: number): string {
  if (failures.length === 0) return "";
  return Number.isFinite(columns) ? toPairs(columns, failures, now) : toRows(failures, now);
}

/** Below the kinds of drains; empty if every dead letter is of one. */
export function toOfNoDrainText(ofNoDrain: readonly OfNoDrain[], now: number): string {
  const kinds = ofNoDrain.flatMap((one) => one.kinds);
  if (kinds.length === 0) return "";
  const table = toTable(kinds, {
    id: ({ id }) => id,
    destination: ({ origin }) => cut(toDestinationText(origin), maxDestination),
    "in the queue": ({ count }) => count,
    since: ({ since }) => (since === null ? "-" : toAge(since, now)),
    answer: (kind) => cut(toAnswerText(kind), maxAnswer),
  });
  return `\nof no drain: nothing sends them, and they expire\n${table}`;
}

function toPairs(columns: number, failures: readonly FailureView[], now: number): string {
  const table = toTable(failures, {
    destination: ({ origin }) => cut(toDestinationText(origin), maxDestination),
    waiting: ({ waiting, stillCounting }) => toCount(waiting, stillCounting),
    parked: ({ parked, stillCounting }) => toCount(parked, stillCounting),
    arrived: ({ arrived }) => arrived,
    "sent again": ({ published }) => published,
    failed: ({ failedAgain }) => failedAgain,
    seen: ({ lastSeenAt }) => toAge(lastSeenAt, now),
  });
  const [heading = "", ...lines] = table.trimEnd().split("\n");
  const idWidth = Math.max(...failures.map(({ id }) => id.length));
  const pairs = failures.flatMap((failure, index) => {
    const { since } = failure;
    const age = since !== null && `for ${toAge(since, now)}`;
    const mark = present([age, toStateText(failure), toMarkText(failure)]).join(", ");
    const room = columns - (mark === "" ? 0 : mark.length + 2);
    const text = cut(`  ${failure.id.padEnd(idWidth)}  ${toAnswerText(failure)}`, room);
    return [lines[index] ?? "", mark === "" ? text : `${text.padEnd(room)}  ${mark}`];
  });
  return `${[heading, ...pairs].join("\n")}\n`;
}

function toRows(failures: readonly FailureView[], now: number): string {
  return toTable(failures, {
    id: ({ id }) => id,
    destination: ({ origin }) => toDestinationText(origin),
    status: ({ status }) => status ?? "-",
    answer: ({ text }) => cut(text, maxAnswer),
    waiting: ({ waiting, stillCounting }) => toCount(waiting, stillCounting),
    parked: ({ parked, stillCounting }) => toCount(parked, stillCounting),
    arrived: ({ arrived }) => arrived,
    "sent again": ({ published }) => published,
    "failed again": ({ failedAgain }) => failedAgain,
    since: ({ since }) => (since === null ? "-" : toAge(since, now)),
    "last seen": ({ lastSeenAt }) => toAge(lastSeenAt, now),
    state: ({ state }) => state,
    owner: ({ owner }) => (owner === null ? "-" : cut(toPrintable(owner.name), maxNote)),
    mark: toMarkText,
  });
}

/** A note in a mark: the ticket says more than the first words of a text. */
const maxNote = 16;

function toStateText({ state, owner }: FailureView): string {
  if (state === "acknowledged" && owner !== null) return cut(toPrintable(owner.name), maxNote);
  return state === "resolved" ? state : "";
}

function toMarkText({ isNew, isQuiet, quietEnded, note }: FailureView): string {
  return present([
    isNew && "new",
    isQuiet && "quiet",
    quietEnded !== null && quietEnded !== "time" && "changed",
    note !== null && cut(toPrintable(note.ticket || note.text), maxNote),
  ]).join(", ");
}
