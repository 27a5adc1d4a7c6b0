import { unlessRedisAway } from "../../contracts/errors.ts";
import type { Token } from "../../contracts/ids.ts";
import type { RefusedRequest } from "../../contracts/ledger.ts";
import type { HoldReason } from "../../rules/decision.ts";
import type { Begun } from "../records.ts";
import { held, inDoubt, type PublishResult } from "../results.ts";
import type { PublishContext } from "./publish-context.ts";

/** A POST that was not sent is tried by a later pass. A time that the service named counts instead. */
export const notSentCoolMs = 5_000;

/** Certainly nothing was accepted, so the records cool. After an earlier POST in doubt they stay in doubt. */
export async function letCool(
  { drain }: PublishContext,
  token: Token,
  begun: readonly Begun[],
  reason: HoldReason,
  how: { readonly until?: number | undefined; readonly outcome?: RefusedRequest["outcome"] } = {},
): Promise<readonly PublishResult[]> {
  const { ledger, clock } = drain.source;
  const { until, outcome = "not-sent" } = how;
  const waitMs = until === undefined ? notSentCoolMs : Math.max(0, until - clock.now());
  const coolMs = reason === "stopping" ? 0 : waitMs;
  const requests = begun.map(({ candidate }) => ({ dlqId: candidate.letter.dlqId, outcome, coolMs }));
  const answer = await unlessRedisAway(() => ledger.refused(requests, token), null);
  return begun.map(({ candidate }, index) =>
    answer === null || answer.verdicts[index]?.kind === "stays-open"
      ? inDoubt(candidate)
      : held(candidate, reason, clock.now() + coolMs),
  );
}
