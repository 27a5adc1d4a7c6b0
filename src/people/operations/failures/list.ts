import type { Core } from "../../../job/door.ts";
import { toOfNoDrain } from "../../read/of-no-drain.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { viewFailures } from "../../read/read-failures.ts";
import { parseUrl } from "../../../job/message/destination-url.ts";
import { isCurrent, type FailureState } from "../../read/failure-views.ts";
import { compileHostGlob } from "../../../job/rules/patterns/host-and-path-tests.ts";
import { chooseDrains } from "../choose-drains.ts";

export interface FailureFilter {
  readonly drain?: string | undefined;
  /** A destination host or a whole origin; `*` stands for any part. */
  readonly host?: string | undefined;
  readonly state?: FailureState | undefined;
  /** Also those with nothing waiting or parked that were not seen for a day. */
  readonly all?: boolean | undefined;
}

/** Throws `command-misused` for an unknown drain. */
export async function readFailureList(core: Core, filter: FailureFilter, now: number) {
  const [drain] = filter.drain === undefined ? [] : chooseDrains(core, [filter.drain]);
  const facts = await readQueueFacts(core);
  const all = await viewFailures(core, facts, now, drain?.config.name);
  const met = all.map(({ origin }) => origin);
  const fitsHost = toOriginTest(filter.host, met);
  const views = all.filter(
    ({ origin, state }) => fitsHost(origin) && (filter.state === undefined || state === filter.state),
  );
  const ofNoDrain = drain === undefined ? toOfNoDrain(core, facts, fitsHost) : [];
  const shown = filter.all === true ? views : views.filter((one) => isCurrent(one, now));
  // `hidden`: fit, and are not current.
  return { shown, hidden: views.length - shown.length, met, ofNoDrain };
}

/**
 * A host with or without its port, a whole origin, or the whole name of a queue. An origin that was met is meant
 * alone, also if it has a `*`.
 */
export function toOriginTest(host: string | undefined, met: readonly string[]): (origin: string) => boolean {
  if (host === undefined) return () => true;
  if (met.includes(host)) return (origin) => origin === host;
  const fits = compileHostGlob(host);
  return (origin) => fits(parseUrl(origin)?.host || origin.toLowerCase());
}
