import type { Core } from "../../../job/compose/build-core.ts";
import { systemClock } from "../../../job/compose/system-world.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toFailureJson } from "../../operations/failures/json.ts";
import { readFailureList, type FailureFilter } from "../../operations/failures/list.ts";
import { toMeant } from "../../operations/nearest.ts";
import { counted } from "../../operations/phrases.ts";
import type { Io } from "../io.ts";
import { toJsonLine } from "../output/json.ts";
import { toFailureTable } from "./list-text.ts";

export type ListFlags = FailureFilter & Readonly<{ json?: boolean }>;

export async function listFailures(core: Core, flags: ListFlags, io: Io): Promise<void> {
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
