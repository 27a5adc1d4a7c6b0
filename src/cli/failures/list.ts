import type { Core } from "../../compose/build-core.ts";
import { readFailureViews } from "../../compose/failure-views.ts";
import { systemClock } from "../../compose/system-world.ts";
import { parseUrl } from "../../message/destination-url.ts";
import { toSafeJson } from "../../message/write-safe-json.ts";
import { isCurrent } from "../../redrive/failures/failure-views.ts";
import { compileHostGlob } from "../../rules/patterns/host-glob.ts";
import { chooseDrains } from "../input/choose-drains.ts";
import type { Io } from "../io.ts";
import { toDestinationText } from "../output/destination-text.ts";
import { toMeant } from "../output/nearest.ts";
import { counted } from "../output/phrases.ts";
import { toFailureJson } from "./json.ts";
import { toFailureTable } from "./list-text.ts";

export type ListFlags = Readonly<{ drain?: string; host?: string; all?: boolean; json?: boolean }>;

export async function listFailures(core: Core, flags: ListFlags, io: Io): Promise<void> {
  const now = systemClock.now();
  const [drain] = flags.drain === undefined ? [] : chooseDrains(core, [flags.drain]);
  const fitsHost = toHostTest(flags.host);
  const all = await readFailureViews(core, now, drain?.config.name);
  const views = all.filter(({ origin }) => fitsHost(origin));
  const shown = flags.all === true ? views : views.filter((one) => isCurrent(one, now));
  if (flags.json === true) for (const one of shown) io.out(`${toSafeJson(toFailureJson(one))}\n`);
  else io.out(toFailureTable(io.columns, shown, now));
  const hidden = views.length - shown.length;
  if (hidden > 0) {
    io.err(`${counted(hidden, "kind has", "kinds have")} nothing waiting, and none for a day; see --all\n`);
  } else if (shown.length === 0) {
    const met = all.map(({ origin }) => toDestinationText(origin));
    const meant = flags.host === undefined ? "" : toMeant(flags.host, met);
    io.err(`no kind of failure is known here${meant}\n`);
  }
}

/** Of a queue its whole name. */
function toHostTest(host: string | undefined): (origin: string) => boolean {
  if (host === undefined) return () => true;
  const fits = compileHostGlob(host);
  return (origin) => fits(parseUrl(origin)?.host || origin.toLowerCase());
}
