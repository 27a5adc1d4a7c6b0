import type { Clock } from "../../../ports/clock.ts";
import { unlessRedisAway } from "../../../ports/errors.ts";
import type { Token } from "../../../ports/ids.ts";
import type { RefusedRequest } from "../../../ports/ledger.ts";
import type { HoldReason } from "../../../rules/decision.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { held, inDoubt, type Begun, type Candidate, type PublishResult } from "../records.ts";
import type { Refusals } from "./refusals.ts";

/** A POST that was not sent is tried by a later pass. A time that the service named counts instead. */
export const notSentCoolMs = 5_000;

/** One batch on its way. */
export interface PublishContext {
  readonly drain: DrainRuntime;
  readonly pageReadAt: number;
  readonly signal: AbortSignal;
  readonly refusals: Refusals;
  /** POSTs in doubt, until they are tried again. `isUnreadable`: an answer came, and could not be read. */
  readonly inDoubt: {
    readonly token: Token;
    readonly candidates: readonly Candidate[];
    readonly isUnreadable: boolean;
    readonly why: string;
  }[];
  /** POSTs that were answered readably. */
  answered: number;
}

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

/**
 * Starts a deadline. The answer is true while less than `forMs` has passed by both clocks: the monotonic
 * clock may stand still while the machine sleeps, and the wall clock may be set back. A wall clock set
 * forward costs one POST, which is made later.
 */
export function startSendDeadline(clock: Pick<Clock, "now" | "monotonic">, forMs: number): () => boolean {
  const monotonicAt = clock.monotonic();
  const wallAt = clock.now();
  return () => clock.monotonic() - monotonicAt < forMs && clock.now() - wallAt < forMs;
}
