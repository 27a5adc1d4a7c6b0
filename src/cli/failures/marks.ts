/** A person's note on a kind of failure, and the order to be quiet about it: audited, then written. */
import type { Core } from "../../compose/build-core.ts";
import { readFailureViews } from "../../compose/failure-views.ts";
import { systemClock } from "../../compose/system-world.ts";
import { defined } from "../../message/defined.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { recordIntent } from "../../redrive/write-audit.ts";
import type { Io } from "../io.ts";
import { present, toTime } from "../output/phrases.ts";
import { toDestinationText } from "../output/destination-text.ts";
import { chooseFailures, sourceOf } from "./choose.ts";
import { toAnswerText } from "../../redrive/failures/answer-text.ts";

export type NoteFlags = Readonly<{ text?: string; ticket?: string; by: string }>;
export type QuietFlags = Readonly<{ until?: "changed" | number; off?: boolean; by: string }>;

export async function noteFailure(core: Core, id: string, flags: NoteFlags, io: Io): Promise<void> {
  const { text, ticket, by } = flags;
  if (text === undefined && ticket === undefined) {
    throw new RedriverError(
      "command-misused",
      "give --text or --ticket; an empty one removes what was there",
    );
  }
  const why = present([ticket, text]).join(": ") || "note removed";
  await onEach(core, id, async (failure) => {
    const { runtime, failureMarks } = sourceOf(core, failure);
    await recordIntent(runtime, "note", [], { drain: null, why: `${toSubject(failure)}: ${why}` });
    await failureMarks.note(id, defined({ text, ticket }), by);
    io.err(`noted on ${toSubject(failure)}\n`);
  });
}

export async function quietFailure(core: Core, id: string, flags: QuietFlags, io: Io): Promise<void> {
  const { until, off = false, by } = flags;
  if (off === (until !== undefined)) {
    throw new RedriverError(
      "command-misused",
      "give --until changed, a time or a duration, or --off, not both",
    );
  }
  await onEach(core, id, async (failure) => {
    const { runtime, failureMarks } = sourceOf(core, failure);
    const subject = toSubject(failure);
    if (until === undefined) {
      await recordIntent(runtime, "unquiet", [], { drain: null, why: subject });
      await failureMarks.quiet(id, null);
      io.err(failure.quiet === null ? `was not quiet: ${subject}\n` : `no longer quiet: ${subject}\n`);
      return;
    }
    const end = until === "changed" ? "it changes" : toTime(until);
    await recordIntent(runtime, "quiet", [], { drain: null, why: `${subject}, until ${end}` });
    const { largestHour, ruled } = failure;
    await failureMarks.quiet(id, { until, largestHour, ruled: Object.keys(ruled), by });
    io.err(`quiet until ${end}: ${subject}\n`);
  });
}

async function onEach(core: Core, id: string, act: (failure: FailureView) => Promise<void>): Promise<void> {
  const views = await readFailureViews(core, systemClock.now());
  for (const failure of chooseFailures(views, id)) await act(failure);
}

/** `failure 1f2e3d4c5b of pay.example.com, 503 upstream is not there`. */
function toSubject(failure: FailureView): string {
  return `failure ${failure.id} of ${toDestinationText(failure.origin)}, ${toAnswerText(failure)}`;
}
