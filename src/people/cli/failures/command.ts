import { Option, type Command } from "commander";
import { systemClock } from "../../../system-world.ts";
import type { Register } from "../command-context.ts";
import { currentUser } from "../input/current-user.ts";
import { loadAll, loadForReading } from "../load-config.ts";
import { withRedisAndStop } from "../with-redis-and-stop.ts";
import type { Core } from "../../../job/door.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toDetailsJson, toFailureJson } from "../../operations/failures/json.ts";
import { readFailureList, type FailureFilter } from "../../operations/failures/list.ts";
import { toMeant } from "../../operations/nearest.ts";
import { counted } from "../../operations/phrases.ts";
import type { Io } from "../io.ts";
import { toJsonLine } from "../output/json.ts";
import { toFailureTable } from "./list-text.ts";
import { readFailureViews } from "../../read/read-failures.ts";
import type { Stop } from "../input/stop-on-signals.ts";
import { barsFor } from "../output/sparkline.ts";
import { chooseFailures } from "../../operations/failures/choose.ts";
import { readDetails } from "../../operations/failures/details.ts";
import { failureStates } from "../../read/failure-views.ts";
import { toFailureText } from "./show-text.ts";

export const registerFailures: Register = (program, context) => {
  const { io } = context;
  const failures = program
    .command("failures")
    .description("kinds of failure: same destination, same status, same answer but for what varies");
  failures
    .command("list", { isDefault: true })
    .description("what waits, is parked or was seen within a day: new ones first, then most waiting")
    .option("--drain <name>", "only what this drain has met, with its counts")
    .option("--host <host>", "only of this destination host; * stands for any part")
    .addOption(
      new Option(
        "--state <state>",
        "only those that nobody, or somebody, works on, or that are over",
      ).choices(failureStates),
    )
    .option("--all", "also those with nothing waiting that were not seen for a day")
    .option("--json", "print one JSON object per line")
    .action((flags: ListFlags, command: Command) =>
      withRedisAndStop(loadForReading(command, io), context, currentUser(), (core) =>
        listFailures(core, flags, io),
      ),
    );
  failures
    .command("show")
    .description(
      "one kind: since when, how many, what the rules do with it, its lane, what persons wrote down",
    )
    .argument("<id>", "as list shows it")
    .option("--json", "print as JSON")
    .action((id: string, { json = false }: { json?: boolean }, command: Command) =>
      withRedisAndStop(loadAll(command, io), context, currentUser(), (core, stop) =>
        showFailure(core, id, json, stop, io),
      ),
    );
};

type ListFlags = FailureFilter & Readonly<{ json?: boolean }>;

async function listFailures(core: Core, flags: ListFlags, io: Io): Promise<void> {
  const now = systemClock.now();
  const { shown, hidden, met } = await readFailureList(core, flags, now);
  if (flags.json === true) for (const one of shown) io.out(toJsonLine(toFailureJson(one)));
  else io.out(toFailureTable(io.columns, shown, now));
  if (hidden > 0) {
    io.err(`${counted(hidden, "kind has", "kinds have")} nothing waiting, and none for a day; see --all\n`);
  } else if (shown.length === 0) {
    const meant = flags.host === undefined ? "" : toMeant(flags.host, met.map(toDestinationText));
    io.err(`no kind of failure is known here${meant}\n`);
  }
}

/** One object or text for each source that has such a kind. */
async function showFailure(core: Core, id: string, json: boolean, stop: Stop, io: Io): Promise<void> {
  const now = systemClock.now();
  const views = await readFailureViews(core, now);
  const signal = AbortSignal.any([stop.signal, stop.stopping]);
  const texts: string[] = [];
  for (const failure of chooseFailures(views, id)) {
    const details = await readDetails(core, failure, signal);
    if (json) io.out(toJsonLine(toDetailsJson(details)));
    else texts.push(toFailureText(io.columns, details, { now, bars: barsFor(io.env) }));
  }
  io.out(texts.join("\n"));
}
