/** What a person writes down about a kind of failure, and the order to be quiet about it. */
import { RedriverError } from "../../../job/contracts/errors.ts";
import {
  maxNoteCharacters,
  maxTicketCharacters,
  noteFailure,
  quietFailure,
} from "../../operations/failures/marks.ts";
import { parseQuietEnd, quietEndExpected } from "../../operations/failures/quiet-order.ts";
import type { Act, ActField } from "./act.ts";
import { toCommandLine } from "./command-line.ts";

const id: ActField = { name: "id", label: "Failure", kind: "hidden" };
const common = { area: "failures", role: "operator", asksReason: false } as const;

export const noteAct: Act = {
  ...common,
  name: "note",
  title: "Note",
  fields: [
    id,
    { name: "text", label: "What is known", kind: "text", hint: "An empty field removes what was there." },
    { name: "ticket", label: "Ticket", kind: "text" },
  ],
  // An empty field removes what was there, by the command too.
  command: ({ id: failure, text = "", ticket = "" }) =>
    toCommandLine("failures", "note", failure, "--text", text, "--ticket", ticket),
  async run({ id: failure = "", text = "", ticket = "" }, { core, by }) {
    if (text.length > maxNoteCharacters || ticket.length > maxTicketCharacters) {
      const most = `at most ${maxNoteCharacters} characters, and ${maxTicketCharacters} of a ticket`;
      throw new RedriverError("command-misused", `expected ${most}`);
    }
    const marked = await noteFailure(core, failure, { text, ticket, by });
    return { said: marked.map(({ subject }) => `noted on ${subject}`).join("; ") };
  },
};

export const quietAct: Act = {
  ...common,
  name: "quiet",
  title: "Quiet",
  fields: [
    id,
    {
      name: "until",
      label: "Until",
      kind: "choice",
      choices: [
        ["changed", "more come than ever, or its rules change"],
        ["2h", "2 hours from now"],
        ["1d", "1 day from now"],
      ],
    },
    { name: "date", label: "Or until a date", kind: "text", hint: "Such as 2026-12-01, in UTC." },
  ],
  command: ({ id: failure, until = "changed", date = until }) =>
    toCommandLine("failures", "quiet", failure, "--until", date),
  async run({ id: failure = "", until = "changed", date }, { core, by, now }) {
    const end = parseQuietEnd(date ?? until, now);
    if (end === null) throw new RedriverError("command-misused", `expected ${quietEndExpected}`);
    const done = await quietFailure(core, failure, { until: end, by });
    return {
      said: done
        .map((one) => `quiet until ${one.kind === "quiet" ? one.end : "now"}: ${one.subject}`)
        .join("; "),
    };
  },
};

export const unquietAct: Act = {
  ...common,
  name: "unquiet",
  title: "End the quiet",
  fields: [id],
  command: ({ id: failure }) => toCommandLine("failures", "quiet", failure, "--off"),
  async run({ id: failure = "" }, { core, by }) {
    const done = await quietFailure(core, failure, { off: true, by });
    const said = done.map(
      ({ kind, subject }) => `${kind === "was-not-quiet" ? "was not quiet" : "no longer quiet"}: ${subject}`,
    );
    return { said: said.join("; ") };
  },
};
