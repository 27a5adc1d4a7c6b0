import { z } from "zod";
import { defined } from "../../../job/message/defined.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { defineOperation, field } from "../define.ts";
import { failureOfMark, shortText } from "../fields.ts";
import { markEach, markRow } from "../failures/marks.ts";
import { present } from "../phrases.ts";

const text = field(shortText(500).optional(), {
  about: "what is known; an empty one removes what was there",
  value: "text",
  label: "What is known",
  isEmptyMeant: true,
});
const ticket = field(shortText(100).optional(), {
  about: "where it is worked on; an empty one removes what was there",
  value: "ticket",
  label: "Ticket",
  isEmptyMeant: true,
});

export const note = defineOperation({
  words: "failures note",
  path: "/failures/:id/note",
  title: "Note",
  role: "operator",
  reasonOf: null,
  insteadOfReason: "a note is its own reason: write it as --text, or name a --ticket",
  about: "write down what is known about a kind; it is no longer shown as new",
  needs: "names",
  example: { id: "1f2e3d4c5b", text: "their certificate expired", ticket: "OPS-7" },
  input: z.strictObject({ id: failureOfMark, text, ticket }),
  check(input) {
    if ((input.text ?? input.ticket) !== undefined) return;
    throw misused("give a text or a ticket; an empty one removes what was there");
  },
  row: markRow,
  run: ({ input: { id, ...words }, ...call }) =>
    markEach(call, id, ({ failureMarks }, _, subject) => ({
      act: "note",
      why: [`${subject}: ${present([words.ticket, words.text]).join(": ") || "note removed"}`],
      write: () => failureMarks.note(id, defined(words), call.by),
      state: "noted",
      said: `noted on ${subject}`,
    })),
});
