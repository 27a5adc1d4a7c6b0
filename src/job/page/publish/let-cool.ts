import { unlessRedisAway } from "../../contracts/errors.ts";
import type { Token } from "../../contracts/ids.ts";
import type { RefusedRequest } from "../../contracts/ledger.ts";
import { hostPausesOf, pauseOf } from "../../contracts/pauses.ts";
import type { HoldReason } from "../../rules/decision.ts";
import { hold, leaveInDoubt } from "../fate.ts";
import { pausableNamesOf } from "../gates/pause.ts";
import type { Begun } from "../letter.ts";
import type { PublishContext } from "./publish-context.ts";

/** A POST that was not sent is tried by a later pass. A time that the service named counts instead. */
export const notSentCoolMs = 5_000;

/** Certainly nothing was accepted, so the letters cool. After an earlier POST in doubt they stay in doubt. */
export async function letCool(
  { drain }: PublishContext,
  token: Token,
  begun: readonly Begun[],
  reason: HoldReason,
  how: { readonly until?: number | undefined; readonly outcome?: RefusedRequest["outcome"] } = {},
): Promise<void> {
  const { ledger, clock } = drain.source;
  const { until, outcome = "not-sent" } = how;
  const waitMs = until === undefined ? notSentCoolMs : Math.max(0, until - clock.now());
  const coolMs = reason === "stopping" ? 0 : waitMs;
  const requests = begun.map(({ letter }) => ({ dlqId: letter.dlqId, outcome, coolMs }));
  const answer = await unlessRedisAway(() => ledger.refused(requests, token), null);
  for (const [index, { letter }] of begun.entries()) {
    if (answer === null || answer.verdicts[index]?.kind === "stays-open") leaveInDoubt(letter);
    else hold(letter, reason, clock.now() + coolMs);
  }
}

/**
 * Of a half of a refused batch, those that no pause holds. The ledger asks for no pause where a worker goes on, but a
 * half is new, and halves may take minutes.
 */
export async function letPausedCool(
  context: PublishContext,
  token: Token,
  half: readonly Begun[],
): Promise<readonly Begun[]> {
  const { config, source } = context.drain;
  const pauses = await unlessRedisAway(source.pausesNow, []);
  const isPaused = config.paused || pauseOf(pauses, config.name) !== undefined;
  const hosts = new Set<string>(hostPausesOf(pauses, config.name).map(({ host }) => host));
  const waits = ({ letter }: Begun): boolean =>
    isPaused || pausableNamesOf(letter).some((name) => hosts.has(name));
  const paused = half.filter(waits);
  if (paused.length > 0) {
    const how = { outcome: "refused", until: source.clock.now() } as const;
    await letCool(context, token, paused, isPaused ? "paused" : "host-paused", how);
  }
  return half.filter((one) => !waits(one));
}
