import { type BuiltSource, recordIntent, type ActOf, type Core } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import { defined } from "../../../job/message/defined.ts";
import {
  isMeantBy,
  namesOfOrigin,
  overlaps,
  toFailureOfName,
  type DestinationName,
} from "../../../job/message/destination-names.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { PauseRecord, PauseTarget } from "../../../job/contracts/pauses.ts";
import { toDestinationText } from "../destination-text.ts";
import { toMeant } from "../nearest.ts";
import { toTime } from "../phrases.ts";
import { toShellWord } from "../shell-word.ts";

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
  return host === undefined ? paused : `${paused}${await toUnknownText(runtime, host)}`;
}

/** Empty if a kind of failure was met there. A pause may come before its first dead letter. */
async function toUnknownText({ failures }: BuiltSource["runtime"], host: DestinationName): Promise<string> {
  if (toFailureOfName(host) !== null) return "";
  const kinds = await failures.all();
  const names = kinds.flatMap(({ origin }) => namesOfOrigin(origin));
  if (names.includes(host)) return "";
  const meant = toMeant(host, [...names, ...kinds.map(({ origin }) => toDestinationText(origin))]);
  return `; no dead letter of it was met yet${meant || ", so look at the name (redriver failures --all)"}`;
}

/**
 * Ends these pauses, and names those that still hold the target back. Of a destination these are also the
 * pauses of its parts. Without such a pause nothing is done, so the audit has nothing of it.
 */
export async function resume(
  { runtime, pauses }: BuiltSource,
  drain: DrainName | "*",
  { host, reason, by }: Order,
  { drains }: Pick<Core, "drains">,
): Promise<string> {
  const known = await pauses.all();
  const isOfHost = (one: PauseRecord): boolean =>
    host === undefined || one.host === undefined ? one.host === host : isMeantBy(one.host, host);
  const isMeant = (one: PauseRecord): boolean => isOfHost(one) && (drain === "*" || one.drain === drain);
  const meant = known.filter(isMeant);
  if (meant.length > 0) {
    await recordIntent({ ...runtime, by }, "resume", [], {
      ...toActOf(drain, reason),
      ...defined({ host }),
    });
  }
  let ended = 0;
  for (const one of meant) if (await pauses.resume(one)) ended += 1;
  if (host !== undefined && ended > 0) {
    // Only a full pass lists again what was held for it.
    for (const { config, source } of drains.values()) {
      if (source === runtime && (drain === "*" || config.name === drain)) {
        await runtime.passes.forceFull(config.name);
      }
    }
  }
  const left = known.filter((one) => !isMeant(one) && stillHolds(one, { drain, ...defined({ host }) }));
  const knownHosts = known.flatMap((one) => one.host ?? []);
  const none = `was not paused${host === undefined || left.length > 0 ? "" : toMeant(host, knownHosts)}`;
  return [ended > 0 ? "resumed" : none, ...left.map(toLeftText)].join("; ");
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
  const flag = failure === null ? `--host ${toShellWord(host)}` : `--failure ${failure}`;
  const option = drain === "*" ? flag : `${drain} ${flag}`;
  return `${host} of ${what} still paused by ${by} (${reason}): redriver resume ${option}`;
}

function toActOf(drain: DrainName | "*", why: string): ActOf {
  return { drain: drain === "*" ? null : drain, why };
}
