import type { Core } from "../../compose/build-core.ts";
import { readFailureViews } from "../../compose/failure-views.ts";
import { systemClock } from "../../compose/system-world.ts";
import { parseUrl } from "../../message/destination-url.ts";
import { toSafeJson } from "../../message/write-safe-json.ts";
import { isCurrent } from "../../redrive/failures/failure-views.ts";
import { compileGlob } from "../../rules/patterns/glob.ts";
import { chooseDrains } from "../../operations/choose-drains.ts";
import type { Io } from "../io.ts";
import { counted } from "../../operations/phrases.ts";
import { toFailureJson } from "../../operations/failures/json.ts";
import { toFailureTable } from "./list-text.ts";

export type ListFlags = Readonly<{ drain?: string; host?: string; all?: boolean; json?: boolean }>;

export async function listFailures(core: Core, flags: ListFlags, io: Io): Promise<void> {
  const now = systemClock.now();
  const [drain] = flags.drain === undefined ? [] : chooseDrains(core, [flags.drain]);
  const fitsHost = toHostTest(flags.host);
  const views = (await readFailureViews(core, now, drain?.config.name)).filter(({ origin }) =>
    fitsHost(origin),
  );
  const shown = flags.all === true ? views : views.filter((one) => isCurrent(one, now));
  if (flags.json === true) for (const one of shown) io.out(`${toSafeJson(toFailureJson(one))}\n`);
  else io.out(toFailureTable(io.columns, shown, now));
  const hidden = views.length - shown.length;
  if (hidden > 0) {
    io.err(`${counted(hidden, "kind has", "kinds have")} nothing waiting, and none for a day; see --all\n`);
  } else if (shown.length === 0) io.err("no kind of failure is known here\n");
}

/** Of a queue its whole name. */
function toHostTest(host: string | undefined): (origin: string) => boolean {
  if (host === undefined) return () => true;
  const fits = compileGlob(host.toLowerCase());
  return (origin) => {
    const url = parseUrl(origin);
    return url?.host ? fits(url.host) || fits(url.hostname) : fits(origin.toLowerCase());
  };
}
