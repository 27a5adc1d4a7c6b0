import { toDestinationText } from "../../operations/destination-text.ts";
import { chooseFailures } from "../../operations/failures/choose.ts";
import { readDetails } from "../../operations/failures/details.ts";
import { readFailureList } from "../../operations/failures/list.ts";
import {
  failureReading,
  failuresReading,
  toDetailsJson,
  toFailureJson,
} from "../../operations/failures/readings.ts";
import { toMeant } from "../../operations/nearest.ts";
import { counted, cut, present, toAge } from "../../operations/phrases.ts";
import { readFailureViews } from "../../read/read-failures.ts";
import type { Register } from "../io.ts";
import { toJsonLine } from "../output/print.ts";
import { addReading } from "../operation-command.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { toFailureText } from "./show-text.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { onlyKind, toExpiredKind, type OfNoDrain } from "../../read/of-no-drain.ts";
import { toCount, toTable } from "../output/table.ts";
import { toAnswerText } from "../../read/answer-text.ts";

export const registerFailures: Register = (program, context) => {
  const { io } = context;
  const failures = program
    .command("failures")
    .description("kinds of failure: same destination, same status, same answer but for what varies");
  addReading(failures, failuresReading, context, async ({ core, input, now }, { json }) => {
    const { shown, hidden, met, ofNoDrain } = await readFailureList(core, input, now);
    if (json === true) {
      for (const one of shown) io.out(toJsonLine(toFailureJson(one)));
      for (const one of ofNoDrain) io.out(toJsonLine({ ofNoDrain: one }));
    } else {
      io.out(toFailureTable(io.columns, shown, now));
      io.out(toOfNoDrainText(io.columns, ofNoDrain, now));
    }
    if (hidden > 0) {
      io.err(`${counted(hidden, "kind has", "kinds have")} nothing waiting, and none for a day; see --all\n`);
    } else if (shown.length + ofNoDrain.length === 0) {
      const meant = input.host === undefined ? "" : toMeant(input.host, met.map(toDestinationText));
      io.err(`no kind of failure is known here${meant}\n`);
    }
  }).option("--json", "print one JSON object per line");
  // One object or text for each source that has such a kind.
  addReading(failures, failureReading, context, async ({ core, input, isWhole, now, signal }, { json }) => {
    const texts: string[] = [];
    const modeOf = (drain: string) =>
      isWhole ? core.drains.get(drain as DrainName)?.config.mode : undefined;
    const views = await readFailureViews(core, now);
    const ofNoDrain = views.some(({ id }) => id === input.id)
      ? []
      : onlyKind((await readFailureList(core, {}, now)).ofNoDrain, input.id);
    if (ofNoDrain.length > 0) {
      const lines = ofNoDrain.map((one) => toJsonLine({ ofNoDrain: one })).join("");
      return io.out(json === true ? lines : toOfNoDrainText(io.columns, ofNoDrain, now).trimStart());
    }
    for (const failure of chooseFailures(views, input.id)) {
      const details = await readDetails(core, failure, signal);
      if (json === true) io.out(toJsonLine(toDetailsJson(details)));
      else texts.push(toFailureText(io.columns, details, now, modeOf));
    }
    io.out(texts.join("\n"));
  }).option("--json", "print as JSON");
};

/** A note in a mark: the ticket says more than the first words of a text. */
const maxNote = 16;

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
