import type { Clock } from "../contracts/clock.ts";
import { RedriverError, isRedisAway, isRedriverError, type ErrorCode } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { SourceId } from "../contracts/ids.ts";
import { callClasses, type CallClass } from "../contracts/source-pauses.ts";
import type { KnownPauses } from "./pausing-service.ts";

export type Health =
  | { readonly state: "usable" }
  /** It pauses (pausing-service.ts): no call of this class before `until` (Unix ms). */
  | { readonly state: "waiting"; readonly until: number }
  | {
      readonly state: "halted";
      /** The calls that are halted: `dlq` all calls, `batch` publishing alone. */
      readonly callClass: CallClass;
      readonly code: ErrorCode;
      readonly message: string;
      /** When its cause was last met, by clock.monotonic(). */
      readonly since: number;
      /** Publishing only: one batch at a time may be sent, and the first readable answer ends the halt. */
      readonly onTrial: boolean;
      readonly failedTrials: number;
    };

type Halt = Extract<Health, { state: "halted" }>;

export type SourceHealth = ReturnType<typeof createSourceHealth>;

/** A proxy's error page with status 200 comes alone. A service of another kind answers nothing else. */
const foreignToHalt = 3;
/** Less than a takeover, so that a sweep in an outage finds none. */
const answeredWithinMs = 60_000;

/**
 * Whether a source may be called. A halt is known to this process alone, a pause to all replicas.
 *
 *   usable ──429, no answers──► waiting ──time──► usable
 *   usable ──401, shape, address──► halted ──resume()──► usable
 *   usable ──the same to a batch──► halted ──tryPublishing()──► on trial ─┬─ a batch is answered readably ──► usable
 *                                     ▲                                   │
 *                                     └────────── is not, once more ──────┘
 *
 * No listing proves that batches are answered again. So publishing counts as halted until a batch is
 * answered, and a failed trial is no news. A halt of publishing stops neither listing nor deleting: published
 * records are still deleted, and records near their expiry still copied. If the DLQ cannot be listed or
 * deleted from, nothing is published either.
 *
 * When a halted source is tried again, the prober decides.
 */
export function createSourceHealth(
  source: SourceId,
  clock: Pick<Clock, "now" | "monotonic">,
  events: Events,
  pauses: KnownPauses,
) {
  const halts: Record<CallClass, Halt | null> = { dlq: null, batch: null };
  let isTrialUnderWay = false;
  let batchAnsweredAt = -Infinity;
  let deletes = 0;
  let foreignDeletes = 0;
  const worst = (): Halt | null => halts.dlq ?? halts.batch;

  const changeHalts = (change: () => void): void => {
    const before = worst();
    change();
    const after = worst();
    if (after?.callClass === before?.callClass && after?.code === before?.code) return;
    if (after === null) {
      events.emit({ type: "source:resumed", source });
    } else {
      const { callClass, code, message } = after;
      events.emit({ type: "source:halted", source, callClass, code, message });
    }
  };

  const health = {
    takeRetry: (): boolean => pauses.takeRetry(),
    /** It did not answer several times in a row, and no answer is known since. Between two probes too. */
    isFailing: (): boolean => pauses.isFailing(),
    /** Whether calls of a class may be made; default: listing and deleting. On trial one batch at a time may. */
    current(callClass: CallClass = "dlq"): Health {
      if (halts.dlq !== null) return halts.dlq;
      const mayTry = halts.batch?.onTrial === true && !isTrialUnderWay;
      if (callClass === "batch" && halts.batch !== null && !mayTry) return halts.batch;
      const leftMs = pauses.leftMs(callClass);
      return leftMs > 0 ? { state: "waiting", until: clock.now() + leftMs } : { state: "usable" };
    },
    standing: (): Health => worst() ?? health.current("batch"),
    /** Throws the reason as a RedriverError unless calls of this class may be made; default: listing and deleting. */
    check(callClass?: CallClass): void {
      const now = health.current(callClass);
      if (now.state === "halted") throw new RedriverError(now.code, now.message);
      if (now.state === "waiting") {
        throw new RedriverError("service-resting", `source ${source} is left alone for now`, {
          retryAt: now.until,
        });
      }
    },
    /** Learns from a failure of a call; default: to list or delete. Halts if its disposition says so. */
    note(error: unknown, callClass?: CallClass): void {
      if (!isRedriverError(error)) return;
      // A refusal of Redis is no news of the source.
      if (error.disposition === "halt" && !isRedisAway(error))
        health.halt(error.code, error.message, callClass);
    },
    /** Learns from a failed delete. A foreign answer counts as lost; only the third in a row halts. */
    noteDelete(error: unknown): void {
      const isForeign = isRedriverError(error) && error.isForeign;
      foreignDeletes = isForeign ? foreignDeletes + 1 : 0;
      if (!isForeign || foreignDeletes >= foreignToHalt) health.note(error);
    },
    halt(code: ErrorCode, message: string, callClass: CallClass = "dlq"): void {
      const before = halts[callClass];
      if (before !== null && !before.onTrial) return;
      const failedTrials = before === null ? 0 : before.failedTrials + 1;
      const since = clock.monotonic();
      changeHalts(() => {
        halts[callClass] = { state: "halted", callClass, code, message, since, onTrial: false, failedTrials };
      });
    },
    resume(callClass?: CallClass): void {
      changeHalts(() => {
        for (const one of callClass === undefined ? callClasses : [callClass]) halts[one] = null;
      });
    },
    /** Puts halted publishing on trial. `afresh` also forgets failed trials, because something has changed. */
    tryPublishing(afresh?: "afresh"): void {
      if (halts.batch === null) return;
      const failedTrials = afresh === undefined ? halts.batch.failedTrials : 0;
      halts.batch = { ...halts.batch, onTrial: true, failedTrials };
    },
    /** On trial no other batch is sent until this one ends. Without an answer the trial stays as it was. */
    async publishing<Sent>(send: () => Promise<Sent>): Promise<Sent> {
      // Beside a trial only batches that reconcile go out (gates/source-health.ts); they do not end it.
      if (halts.batch === null || isTrialUnderWay) return send();
      isTrialUnderWay = true;
      try {
        return await send();
      } finally {
        isTrialUnderWay = false;
      }
    },
    /** Reports a readable answer to a batch. `some-accepted`: a deduplication hit shows it too. */
    batchAnswered(items: "some-accepted" | "none-accepted"): void {
      batchAnsweredAt = clock.monotonic();
      const { batch } = halts;
      if (batch === null) return;
      const wasRefused = batch.code === "service-refuses-everything";
      // Refusals do not show whether it refuses everything. An accepted item does, on trial or not.
      const isProof = wasRefused ? items === "some-accepted" : batch.onTrial;
      if (isProof) health.resume("batch");
    },
    /** A batch of this process was answered readably within the last minute. */
    answersBatches: (): boolean => clock.monotonic() - batchAnsweredAt < answeredWithinMs,
    deleted(): void {
      deletes += 1;
      foreignDeletes = 0;
    },
    /** The count of `deleted()` calls. A caller with a refused delete sees whether another succeeded since. */
    deletes: (): number => deletes,
  };
  return health;
}
