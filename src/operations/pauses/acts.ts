import type { BuiltSource } from "../../compose/build-source.ts";
import type { Core } from "../../compose/build-core.ts";
import { systemClock } from "../../compose/system-world.ts";
import { defined } from "../../message/defined.ts";
import {
  namesOfOrigin,
  overlaps,
  toFailureOfName,
  type DestinationName,
} from "../../message/destination-names.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { PauseRecord, PauseTarget } from "../../ports/pauses.ts";
import { recordIntent, type ActOf } from "../../redrive/write-audit.ts";
import { toTime } from "../phrases.ts";

/** `by`: who, as the audit and the status show it. */
export interface Order {
  readonly host?: DestinationName;
  readonly forMs?: number;
  readonly reason: string;
  readonly by: string;
}

/** Answers what a person reads behind the name of the target. */
export async function pause(
  { runtime, pauses }: BuiltSource,
  drain: DrainName | "*",
  { host, forMs, reason, by }: Order,
): Promise<string> {
  await recordIntent({ ...runtime, by }, "pause", [], {
    ...toActOf(drain, reason),
    ...defined({ host, forMs }),
  });
  const record = { drain, ...defined({ host }), reason, by, at: systemClock.now() };
  const { until } = await pauses.pause(record, forMs);
  const paused = until === undefined ? "paused" : `paused until ${toTime(until)}`;
  return host === undefined || (await isKnown(runtime, host))
    ? paused
    : `${paused}; no dead letter of it was met yet, so look at the name (redriver failures --all)`;
}

/** True if a kind of failure was met there. A pause may come before its first dead letter. */
async function isKnown({ failures }: BuiltSource["runtime"], host: DestinationName): Promise<boolean> {
  if (toFailureOfName(host) !== null) return true;
  const kinds = await failures.all();
  return kinds.some(({ origin }) => namesOfOrigin(origin).includes(host));
}

/** Ends these pauses, and names those that still hold the target back. */
export async function resume(
  { runtime, pauses }: BuiltSource,
  drain: DrainName | "*",
  { host, reason, by }: Order,
  { drains }: Pick<Core, "drains">,
): Promise<string> {
  const known = await pauses.all();
  await recordIntent({ ...runtime, by }, "resume", [], { ...toActOf(drain, reason), ...defined({ host }) });
  const isMeant = (one: PauseRecord): boolean => one.host === host && (drain === "*" || one.drain === drain);
  let ended = 0;
  for (const one of known.filter(isMeant)) if (await pauses.resume(one)) ended += 1;
  if (host !== undefined && ended > 0) {
    // Only a full pass lists again what was held for it.
    for (const { config, source } of drains.values()) {
      if (source === runtime && (drain === "*" || config.name === drain)) {
        await runtime.passes.forceFull(config.name);
      }
    }
  }
  const left = known.filter((one) => !isMeant(one) && stillHolds(one, { drain, ...defined({ host }) }));
  return [ended > 0 ? "resumed" : "was not paused", ...left.map(toLeftText)].join("; ");
}

function stillHolds(pause: PauseRecord, { drain, host }: PauseTarget): boolean {
  const isOfDrain = drain === "*" || pause.drain === "*" || pause.drain === drain;
  return isOfDrain && (host === undefined || pause.host === undefined || overlaps(pause.host, host));
}

function toLeftText({ drain, host, by, reason }: PauseRecord): string {
  const what = drain === "*" ? "all drains" : drain;
  const names = drain === "*" ? "--all" : drain;
  if (host === undefined) return `${what} still paused by ${by} (${reason}): redriver resume ${names}`;
  const failure = toFailureOfName(host);
  const flag = failure === null ? `--host ${host}` : `--failure ${failure}`;
  const option = drain === "*" ? flag : `${drain} ${flag}`;
  return `${host} of ${what} still paused by ${by} (${reason}): redriver resume ${option}`;
}

function toActOf(drain: DrainName | "*", why: string): ActOf {
  return { drain: drain === "*" ? null : drain, why };
}
