import { z } from "zod";
import { recordIntent } from "../../../job/door.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { defineOperation, field } from "../define.ts";
import { failureOfMark, flag, shortText } from "../fields.ts";
import { present } from "../phrases.ts";
import { markEach, markRow } from "../failures/marks.ts";

const owner = field(shortText(100).optional(), {
  about: "who works on it; default: who acts",
  value: "name",
  label: "Who works on it",
});

export const acknowledge = defineOperation({
  words: "failures acknowledge",
  path: "/failures/:id/acknowledge",
  title: "Acknowledge",
  role: "operator",
  reasonOf: null,
  mayHaveReason: true,
  about:
    "say who works on a kind, so that nobody else has to; it ends when the kind is resolved and comes again",
  needs: "names",
  example: { id: "1f2e3d4c5b", owner: "priya" },
  input: z.strictObject({
    id: failureOfMark,
    owner,
    off: flag("nobody works on it any more"),
  }),
  check({ owner: given, off = false }) {
    if (!off || given === undefined) return;
    throw misused("give --owner or --off, not both");
  },
  row: markRow,
  run: ({ core, input: { id, owner: given, off = false }, by, reason }) =>
    markEach(core, id, async ({ runtime, failureMarks }, _, subject) => {
      const name = given || by;
      const act = off ? "unacknowledge" : "acknowledge";
      const said = off ? `open, nobody works on ${subject}` : `${name} works on ${subject}`;
      const what = off ? subject : `${subject}: ${name} works on it`;
      const why = present([what, reason]).join("; ");
      await recordIntent({ ...runtime, by }, act, [], { drain: null, why });
      await failureMarks.own(id, off ? null : name);
      return { state: off ? "open" : "acknowledged", said };
    }),
});
