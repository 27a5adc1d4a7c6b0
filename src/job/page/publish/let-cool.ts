import { unlessRedisAway } from "../../contracts/errors.ts";
import type { Token } from "../../contracts/ids.ts";
import type { RefusedRequest } from "../../contracts/ledger.ts";
import type { HoldReason } from "../../rules/decision.ts";
import { hold, leaveInDoubt } from "../fate.ts";
import type { Begun } from "../letter.ts";
import type { PublishContext } from "./publish-context.ts";

/** A POST that was not sent is tried by a later pass. A time that the service named counts instead. */
export const notSentCoolMs = 5_000;

/** Certainly nothing was accepted. After an earlier POST in doubt they stay so. What a pause holds keeps its name. */
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
    else if (letter.fate === null) hold(letter, reason, clock.now() + coolMs);
  }
}
