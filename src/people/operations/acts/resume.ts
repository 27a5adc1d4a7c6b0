import { z } from "zod";
import { recordIntent, type Core } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import { isMeantBy, overlaps, toFailureOfName } from "../../../job/message/destination-names.ts";
import type { PauseRecord, PauseTarget } from "../../../job/contracts/pauses.ts";
import { defineOperation } from "../define.ts";
import { toMeant } from "../nearest.ts";
import { toFailedText } from "../pauses/at-the-service.ts";
import {
  checkTargets,
  onEachTarget,
  targetFields,
  targetRow,
  toActOf,
  type DoneTo,
  type Target,
} from "../pauses/targets.ts";
import { toShellWord } from "../command-line.ts";

export const resume = defineOperation({
  words: "resume",
  path: "/resumes",
  title: "Resume",
  role: "operator",
  reasonOf: "a resume",
  about: "let paused drains or a paused destination go on, also single ports and origins of it",
  needs: "names",
  mayRefuse: true,
  example: { drains: "orders", reason: "INC-7 is over" },
  input: z.strictObject(targetFields),
  check: checkTargets,
  row: targetRow,
  run: ({ core, input, by, reason }) =>
    onEachTarget(core, input, (target) => resumeOne(core, target, { by, reason })),
});

/**
 * Ends these pauses, and names those that still hold the target back. Of a destination these are also the
 * pauses of its parts. Without such a pause nothing is done, so the audit has nothing of it.
 */
async function resumeOne(
  { drains }: Pick<Core, "drains">,
  target: Target,
  call: { readonly reason: string; readonly by: string },
): Promise<DoneTo> {
  const { source, drain, host } = target;
  const { runtime, pauses } = source;
  const { reason, by } = call;
  const known = await pauses.all();
  const isOfHost = (one: PauseRecord): boolean =>
    host === undefined || one.host === undefined ? one.host === host : isMeantBy(one.host, host);
  const isMeant = (one: PauseRecord): boolean => isOfHost(one) && (drain === "*" || one.drain === drain);
  const meant = known.filter(isMeant);
  const act = { ...toActOf(drain, reason), ...defined({ host }) };
  const record = () => recordIntent({ ...runtime, by }, "resume", [], act);
  if (meant.length > 0) await record();
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
  const { said: letGo, isRefused = false } =
    drain === "*" ? await letGoOf(target, async () => meant.length > 0 || record()) : { said: "" };
  const said = [ended > 0 ? "resumed" : none, letGo, ...left.map(toLeftText)].filter(Boolean).join("; ");
  return { said, isRefused };
}

/** Ends what `brake` did at the service, but for what another pause of all drains still holds. */
async function letGoOf(
  { source: { runtime, pauses }, host }: Target,
  before: () => Promise<unknown>,
): Promise<DoneTo> {
  const left = (await pauses.all()).flatMap((one) => (one.drain === "*" ? [one.host] : []));
  try {
    const keys = await runtime.brake.held(host, left);
    if (keys.length === 0) return { said: "" };
    await before();
    await runtime.brake.resume(keys);
    return { said: `let go at the service: ${keys.join(", ")}` };
  } catch (error) {
    return { said: toFailedText(error), isRefused: true };
  }
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
