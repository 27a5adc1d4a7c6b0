import { z } from "zod";
import { misused } from "../../../job/contracts/errors.ts";
import { defineOperation, field } from "../define.ts";
import { failureOfMark, flag, shortText } from "../fields.ts";
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
  run: ({ input: { id, owner: given, off = false }, reason, ...call }) =>
    markEach(call, id, ({ failureMarks }, _, subject) => {
      const name = given || call.by;
      return {
        act: off ? "unacknowledge" : "acknowledge",
        why: [off ? subject : `${subject}: ${name} works on it`, reason],
        write: () => failureMarks.own(id, off ? null : name),
        state: off ? "open" : "acknowledged",
        said: off ? `open, nobody works on ${subject}` : `${name} works on ${subject}`,
      };
    }),
});
