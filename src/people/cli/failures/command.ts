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
import { counted } from "../../operations/phrases.ts";
import { readFailureViews } from "../../read/read-failures.ts";
import type { Register } from "../command-context.ts";
import { toJsonLine } from "../output/json.ts";
import { addReading } from "../reading-command.ts";
import { toFailureTable, toOfNoDrainText } from "./list-text.ts";
import { toFailureText } from "./show-text.ts";

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
  addReading(failures, failureReading, context, async ({ core, input, now, signal }, { json }) => {
    const texts: string[] = [];
    for (const failure of chooseFailures(await readFailureViews(core, now), input.id)) {
      const details = await readDetails(core, failure, signal);
      if (json === true) io.out(toJsonLine(toDetailsJson(details)));
      else texts.push(toFailureText(io.columns, details, now));
    }
    io.out(texts.join("\n"));
  }).option("--json", "print as JSON");
};
