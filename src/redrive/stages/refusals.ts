import { isRedisAway } from "../../ports/errors.ts";
import type { Token } from "../../ports/ids.ts";
import type { RefusedVerdict, SourceFacts } from "../../ports/ledger.ts";
import type { ParkReason } from "../../rules/decision.ts";
import type { DrainRuntime } from "../runtime.ts";
import { parentOf } from "./audit-record.ts";
import { writeParked } from "./park.ts";
import type { Candidate, PublishResult } from "./records.ts";

/** A refused item is asked again after this; three such refusals make a case of their own. */
const refusedCoolMs = 10 * 60_000;
const refusalsWithoutControl = 3;
/** An item of the same source accepted within this shows that the service accepts something. */
const controlWithinMs = 60_000;
const refusalsThatHalt = 10;
/** Where lanes hold what the service would accept, that comes once in a watch, and what it refuses is asked for by each page. */
const watchesWithoutAcceptance = 2;

type Reason = Extract<ParkReason, "refused" | "too-large">;

/**
 * Items that the service refused alone, of one batch. Such an item is parked only with a control: another item accepted in
 * the same batch, or by the same source within the last minute. Without one it is held, and parked after three such refusals
 * ten minutes apart. Ten in a row with nothing accepted halt the source: then it is the service, not the message. Of a drain with lanes only where
 * nothing was accepted for two watches either; until then such rows are held.
 */
export interface Refusals {
  refusedAlone(candidate: Candidate, token: Token, reason: Reason): Promise<void>;
  /** Something of this batch was accepted. */
  accepted(): void;
  /** Whether to stop asking: bisecting a batch that is refused whole costs twice its size in calls. */
  everythingIsRefused(): boolean;
  /** Decides what becomes of them, once the whole batch is known. */
  conclude(): Promise<readonly PublishResult[]>;
}

interface Refused {
  readonly candidate: Candidate;
  readonly reason: Reason;
  readonly verdict: RefusedVerdict;
}

export function createRefusals(drain: DrainRuntime): Refusals {
  const { ledger, health, clock } = drain.source;
  const { lane } = drain.config;
  const spanMs = lane === undefined ? 0 : Math.max(controlWithinMs, watchesWithoutAcceptance * lane.watchMs);
  const refused: Refused[] = [];
  const results: PublishResult[] = [];
  let control = false;
  let inARow = 0;
  let facts: SourceFacts | null = null;

  const park = async ({ candidate, reason }: Refused): Promise<void> => {
    try {
      await writePark(candidate, reason);
    } catch (error) {
      if (!isRedisAway(error)) throw error;
      // It is cool in the ledger, and the next refusal parks it.
      results.push({ kind: "in-doubt", candidate });
      return;
    }
    const { rule } = candidate.decision;
    results.push({ kind: "parked", candidate, decision: { then: "park", reason, rule } });
  };
  const writePark = async (candidate: Candidate, reason: Reason): Promise<void> => {
    const { letter, decision, attempt } = candidate;
    await writeParked(drain, [
      { dlqId: letter.dlqId, reason, rule: decision.rule, attempt, ...parentOf(candidate) },
    ]);
  };
  const hold = ({ candidate }: Refused): void => {
    const { rule } = candidate.decision;
    const until = clock.now() + refusedCoolMs;
    results.push({
      kind: "held",
      candidate,
      decision: { then: "hold", reason: "refused-alone", rule, until },
    });
  };

  return {
    async refusedAlone(candidate, token, reason) {
      inARow += 1;
      try {
        const request = {
          dlqId: candidate.letter.dlqId,
          outcome: "refused-alone",
          coolMs: refusedCoolMs,
        } as const;
        const answer = await ledger.refused([request], token);
        facts = answer;
        const [verdict] = answer.verdicts;
        if (verdict !== undefined) refused.push({ candidate, reason, verdict });
      } catch (error) {
        if (!isRedisAway(error)) throw error;
        results.push({ kind: "in-doubt", candidate });
      }
    },
    accepted() {
      control = true;
      inARow = 0;
    },
    everythingIsRefused: () => !control && inARow >= refusalsThatHalt,
    async conclude() {
      const isRow = facts !== null && !control && facts.refusedAloneInARow >= refusalsThatHalt;
      if (facts !== null && isRow && !acceptedWithin(facts, spanMs)) {
        health.halt(
          "service-refuses-everything",
          `${facts.refusedAloneInARow} single items refused in a row and none accepted`,
          "batch",
        );
      }
      control ||= facts !== null && acceptedWithin(facts, controlWithinMs);
      for (const one of refused) {
        if (one.verdict.kind !== "cool") results.push({ kind: "in-doubt", candidate: one.candidate });
        // Where everything is refused it is the service, however often it refused this one.
        else if (!isRow && (control || one.verdict.refusedAlone >= refusalsWithoutControl)) await park(one);
        else hold(one);
      }
      return results;
    },
  };
}

function acceptedWithin({ at, lastAcceptedAt }: SourceFacts, ms: number): boolean {
  return lastAcceptedAt !== null && at - lastAcceptedAt < ms;
}
