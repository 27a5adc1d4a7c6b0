import { z } from "zod";
import { systemClock } from "../../../system-world.ts";
import { recordIntent } from "../../../job/door.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { parseDuration } from "../../../job/rules/durations.ts";
import { parseDateOrTime } from "../../../job/rules/patterns/parse-dates.ts";
import { defineOperation, field } from "../define.ts";
import { failureOfMark, flag, readAs } from "../fields.ts";
import { markEach, markRow } from "../failures/marks.ts";
import { present, toTime } from "../phrases.ts";

/** `changed`, or a moment to come as Unix ms. */
const end = readAs(
  z.string().trim(),
  (text) => parseQuietEnd(text, systemClock.now()),
  "expected changed, a duration (2h), or a date (2026-12-01) or time with a zone (2026-12-01T18:00:00Z) to come",
);

const until = field(end.optional(), {
  about:
    "changed (more than twice as many in an hour as ever, or other rules), 2h, a date, or a time with a zone",
  value: "end",
  label: "Until",
  preset: "changed",
  choices: [
    ["changed", "more come than ever, or its rules change"],
    ["2h", "2 hours from now"],
    ["1d", "1 day from now"],
  ],
  isOpen: true,
});

export const quiet = defineOperation({
  words: "failures quiet",
  path: "/failures/:id/quiet",
  title: "Quiet",
  role: "operator",
  reasonOf: null,
  mayHaveReason: true,
  about: "show a kind last, and do not speak of it",
  needs: "names",
  example: { id: "1f2e3d4c5b", until: "changed" },
  input: z.strictObject({
    id: failureOfMark,
    until,
    off: flag("end it"),
  }),
  check({ until: given, off = false }) {
    if (off !== (given !== undefined)) return;
    throw misused("give --until changed, a time or a duration, or --off, not both");
  },
  row: markRow,
  run: ({ core, input: { id, until: given }, by, reason }) =>
    markEach(core, id, async ({ runtime, failureMarks }, failure, subject) => {
      const source = { ...runtime, by };
      if (given === undefined) {
        await recordIntent(source, "unquiet", [], { drain: null, why: toWhy(subject, reason) });
        await failureMarks.quiet(id, null);
        return failure.quiet === null
          ? { state: "was-not-quiet", said: `was not quiet: ${subject}` }
          : { state: "no-longer-quiet", said: `no longer quiet: ${subject}` };
      }
      const words = given === "changed" ? "it changes" : toTime(given);
      await recordIntent(source, "quiet", [], {
        drain: null,
        why: toWhy(`${subject}, until ${words}`, reason),
      });
      const { largestHour, drains } = failure;
      const ruled = [...new Set(drains.flatMap((one) => Object.keys(one.ruled)))];
      await failureMarks.quiet(id, { until: given, largestHour, ruled, by });
      return { state: "quiet", said: `quiet until ${words}: ${subject}` };
    }),
});

function toWhy(what: string, reason: string): string {
  return present([what, reason]).join("; ");
}

/** Null: neither `changed` nor a moment after `now`. */
function parseQuietEnd(text: string, now: number): "changed" | number | null {
  if (text === "changed") return text;
  const span = parseDuration(text);
  const date = parseDateOrTime(text);
  const at = span.ok ? now + span.value : date.ok ? date.value : now;
  return at > now ? at : null;
}
