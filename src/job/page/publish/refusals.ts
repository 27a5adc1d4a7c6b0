import type { ParkReason } from "../../message/park-reasons.ts";
import { unlessRedisAway } from "../../contracts/errors.ts";
import type { Token } from "../../contracts/ids.ts";
import type { RefusedVerdict, SourceFacts } from "../../contracts/ledger.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { writeParked } from "../park.ts";
import { hold, leaveInDoubt } from "../fate.ts";
import { parentOf, type Letter } from "../letter.ts";
import { refusalsThatHalt } from "./refusals-in-a-row.ts";

/** A refused item is posted again after this. Three such refusals park it without a control. */
const refusedCoolMs = 10 * 60_000;
const refusalsWithoutControl = 3;
/** An item of the same source accepted within this shows that the service accepts something. */
const controlWithinMs = 60_000;
/** Behind lanes an acceptable message goes out once a watch, while each page posts the refused ones. */
const watchesWithoutAcceptance = 2;

interface Refused {
  readonly letter: Letter;
  readonly token: Token;
  readonly reason: Extract<ParkReason, "refused" | "too-large">;
}

export type Refusals = ReturnType<typeof createRefusals>;

/**
 * Items that the service refused alone, of one batch. `othersWait`: records besides it that were not refused yet.
 *
 * Such an item is parked only with a control: another item that was accepted, or a hit, in this batch or within the
 * last minute. Also if an earlier POST of it is in doubt: the parked entry keeps the series, so a release declares
 * a possible double. Without a control it is held, and parked after three such refusals ten minutes apart.
 *
 * Ten in a row without a control halt the source if something else waits: then it is the service, not the message.
 * A drain with lanes halts only if nothing was accepted for two watches either. A POST in doubt ends the row: it
 * may have been accepted.
 */
export function createRefusals(drain: DrainRuntime, othersWait: () => boolean) {
  const { ledger, health, clock, refusalsInARow } = drain.source;
  const { lane } = drain.config;
  const spanMs = Math.max(controlWithinMs, watchesWithoutAcceptance * (lane?.watchMs ?? 0));
  const refused: (Refused & { readonly verdict: RefusedVerdict })[] = [];
  let control = false;
  let inARow = 0;
  let facts: SourceFacts | null = null;
  let lastError = "";

  const park = async ({ letter, token, reason }: Refused): Promise<void> => {
    const { dlqId, decision, attempt, failure } = letter;
    const { rule } = decision;
    const { host } = letter.due;
    const parking = { dlqId, reason, rule, attempt, failure: failure.id, host, ...parentOf(letter) };
    const written = await unlessRedisAway(() => writeParked(drain, [parking], { token }), null);
    // Not written: it is cooling in the ledger, and the next refusal parks it.
    if (written === null) leaveInDoubt(letter);
    else letter.fate = { kind: "parked", decision: { then: "park", reason, rule } };
  };

  return {
    async refusedAlone(letter: Letter, token: Token, reason: Refused["reason"], error: string) {
      inARow += 1;
      refusalsInARow.refusedAlone();
      lastError = error;
      const { dlqId } = letter;
      const request = { dlqId, outcome: "refused-alone", coolMs: refusedCoolMs } as const;
      const answer = await unlessRedisAway(() => ledger.refused([request], token), null);
      if (answer === null) {
        leaveInDoubt(letter);
        return;
      }
      facts = answer;
      const [verdict] = answer.verdicts;
      if (verdict !== undefined) refused.push({ letter, token, reason, verdict });
    },
    accepted(): void {
      control = true;
      inARow = 0;
    },
    inDoubt(): void {
      inARow = 0;
      refusalsInARow.inDoubt();
    },
    /** True if bisecting must stop: to bisect a batch that is refused whole costs twice its size in calls. */
    everythingIsRefused: (): boolean =>
      inARow >= refusalsThatHalt && !control && !isAcceptedWithin(facts, controlWithinMs) && othersWait(),
    async conclude(): Promise<void> {
      const inARowOfSource = facts?.refusedAloneInARow ?? 0;
      const isRow = !control && inARowOfSource >= refusalsThatHalt && othersWait();
      if (isRow && refusalsInARow.areEnoughToHalt() && !isAcceptedWithin(facts, spanMs)) {
        const why = `${inARowOfSource} single items refused in a row and none accepted; the last: ${lastError}`;
        health.halt("service-refuses-everything", why, "batch");
      }
      control ||= isAcceptedWithin(facts, controlWithinMs);
      for (const one of refused) {
        const { letter, verdict } = one;
        const isOften = verdict.kind === "cool" && verdict.refusedAlone >= refusalsWithoutControl;
        // Without a control a row of them is the service's, however often it refused this one.
        if (verdict.kind !== "not-yours" && (control || (isOften && !isRow))) await park(one);
        else if (verdict.kind !== "cool") leaveInDoubt(letter);
        else hold(letter, "refused-alone", clock.now() + refusedCoolMs);
      }
    },
  };
}

function isAcceptedWithin(facts: SourceFacts | null, ms: number): boolean {
  return facts !== null && facts.lastAcceptedAt !== null && facts.at - facts.lastAcceptedAt < ms;
}
