/** A person's note on a kind of failure, and the order to be quiet about it: audited, then written. */
import { type Core, recordIntent } from "../../../job/door.ts";
import { readFailureViews } from "../../read/read-failures.ts";
import { systemClock } from "../../../system-world.ts";
import { defined } from "../../../job/message/defined.ts";
import type { AuditEntry } from "../../../job/contracts/audit.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { present, toTime } from "../phrases.ts";
import { toDestinationText } from "../destination-text.ts";
import { chooseFailures, sourceOf } from "./choose.ts";

export const maxNoteCharacters = 500;
export const maxTicketCharacters = 100;

export type NoteOrder = Readonly<{ text?: string; ticket?: string; by: string }>;
export type QuietOrder = Readonly<{ until?: "changed" | number; off?: boolean; by: string }>;

/** `failure 1f2e3d4c5b of pay.example.com, 503 upstream is not there`. */
export interface Marked {
  readonly source: SourceId;
  readonly subject: string;
}

/** Writes down what is known of a kind, in each source that has met it. An empty text removes what was there. */
export async function noteFailure(core: Core, id: string, order: NoteOrder): Promise<readonly Marked[]> {
  const { text, ticket, by } = order;
  if (text === undefined && ticket === undefined) {
    throw new RedriverError(
      "command-misused",
      "give --text or --ticket; an empty one removes what was there",
    );
  }
  const why = present([ticket, text]).join(": ") || "note removed";
  return onEach(core, id, async (failure, subject) => {
    const { runtime, failureMarks } = sourceOf(core, failure);
    await recordIntent({ ...runtime, by }, "note", [], { drain: null, why: `${subject}: ${why}` });
    await failureMarks.note(id, defined({ text, ticket }), by);
    return { source: runtime.config.id, subject };
  });
}

/** `end`: `it changes`, or a time. */
export type Quieted = Marked &
  (
    | { readonly kind: "quiet"; readonly end: string }
    | { readonly kind: "no-longer-quiet" }
    | { readonly kind: "was-not-quiet" }
  );

export async function quietFailure(core: Core, id: string, order: QuietOrder): Promise<readonly Quieted[]> {
  const { until, off = false, by } = order;
  if (off === (until !== undefined)) {
    throw new RedriverError(
      "command-misused",
      "give --until changed, a time or a duration, or --off, not both",
    );
  }
  return onEach(core, id, async (failure, subject): Promise<Quieted> => {
    const { runtime, failureMarks } = sourceOf(core, failure);
    const source = { ...runtime, by };
    const marked = { source: runtime.config.id, subject };
    if (until === undefined) {
      await recordIntent(source, "unquiet", [], { drain: null, why: subject });
      await failureMarks.quiet(id, null);
      return { ...marked, kind: failure.quiet === null ? "was-not-quiet" : "no-longer-quiet" };
    }
    const end = until === "changed" ? "it changes" : toTime(until);
    await recordIntent(source, "quiet", [], { drain: null, why: `${subject}, until ${end}` });
    const { largestHour, ruled } = failure;
    await failureMarks.quiet(id, { until, largestHour, ruled: Object.keys(ruled), by });
    return { ...marked, kind: "quiet", end };
  });
}

async function onEach<Done>(
  core: Core,
  id: string,
  act: (failure: FailureView, subject: string) => Promise<Done>,
): Promise<readonly Done[]> {
  const views = await readFailureViews(core, systemClock.now());
  const done: Done[] = [];
  for (const failure of chooseFailures(views, id)) done.push(await act(failure, toSubject(failure)));
  return done;
}

/** Of an entry that an act of this file has written. */
export function isAboutFailure({ act, why }: Pick<AuditEntry, "act" | "why">, id: string): boolean {
  const isMark = act === "note" || act === "quiet" || act === "unquiet";
  return isMark && why?.startsWith(toSubjectStart(id)) === true;
}

function toSubjectStart(id: string): string {
  return `failure ${id} of `;
}

function toSubject(failure: FailureView): string {
  return `${toSubjectStart(failure.id)}${toDestinationText(failure.origin)}, ${toAnswerText(failure)}`;
}
