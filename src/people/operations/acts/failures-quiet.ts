import { z } from "zod";
import { systemClock } from "../../../system-world.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { parseDuration } from "../../../job/rules/durations.ts";
import { parseDateOrTime } from "../../../job/rules/patterns/parse-dates.ts";
import { defineOperation, field } from "../define.ts";
import { failureOfMark, flag, readAs } from "../fields.ts";
import { markEach, markRow } from "../failures/marks.ts";
import { toTime } from "../phrases.ts";

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
  run: ({ input: { id, until: given }, reason, ...call }) =>
    markEach(call, id, ({ failureMarks }, { quiet: before, largestHour, drains }, subject) => {
      if (given === undefined) {
        const was = before === null ? "was not quiet" : "no longer quiet";
        return {
          act: "unquiet",
          why: [subject, reason],
          write: () => failureMarks.quiet(id, null),
          state: before === null ? "was-not-quiet" : "no-longer-quiet",
          said: `${was}: ${subject}`,
        };
      }
      const words = given === "changed" ? "it changes" : toTime(given);
      const ruled = [...new Set(drains.flatMap((one) => Object.keys(one.ruled)))];
      return {
        act: "quiet",
        why: [`${subject}, until ${words}`, reason],
        write: () => failureMarks.quiet(id, { until: given, largestHour, ruled, by: call.by }),
        state: "quiet",
        said: `quiet until ${words}: ${subject}`,
      };
    }),
});

/** Null: neither `changed` nor a moment after `now`. */
function parseQuietEnd(text: string, now: number): "changed" | number | null {
  if (text === "changed") return text;
  const span = parseDuration(text);
  const date = parseDateOrTime(text);
  const at = span.ok ? now + span.value : date.ok ? date.value : now;
  return at > now ? at : null;
}
