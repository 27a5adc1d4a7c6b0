import type { Clock } from "../../ports/clock.ts";
import { RedriverError, isRedriverError, type ErrorCode } from "../../ports/errors.ts";
import type { Events } from "../../ports/events.ts";
import type { SourceId } from "../../ports/ids.ts";
import { callClasses, type CallClass } from "../../ports/source-pauses.ts";
import type { Rests } from "./pausing-service.ts";

export type Health =
  | { readonly state: "usable" }
  /** It rests (resting-service.ts): no call of this class before `until` (Unix ms). */
  | { readonly state: "waiting"; readonly until: number }
  | {
      readonly state: "halted";
      /** What halted it, and with it what is halted: `dlq` all calls, `batch` publishing alone. */
      readonly callClass: CallClass;
      readonly code: ErrorCode;
      readonly message: string;
      /** When it was met last, by clock.monotonic(). */
      readonly since: number;
      /** Of publishing alone: one batch at a time may be sent, and the first that is answered readably ends the halt. */
      readonly onTrial: boolean;
      /** In a row. */
      readonly failedTrials: number;
    };

type Halt = Extract<Health, { state: "halted" }>;

/**
 * Whether a source may be called. What halts it is known in this process; that it rests, to all replicas.
 *
 *   usable ──429, no answers──► waiting ──time──► usable
 *   usable ──401, shape, address──► halted ──resume()──► usable
 *   usable ──the same to a batch──► halted ──tryPublishing()──► on trial ─┬─ a batch is answered readably ──► usable
 *                                     ▲                                   │
 *                                     └────────── is not, once more ──────┘
 *
 * No listing proves that batches are answered again. So publishing stays halted for everybody who asks how the source stands until a
 * batch was, and a trial that fails is no news. What halts publishing leaves listing and deleting as they are: what is published is still deleted, and what nears its expiry
 * is still copied. Where the DLQ cannot be listed or deleted from, nothing is published either.
 *
 * Not part of this contract: when a halted source is tried again; that is the prober's.
 */
export interface SourceHealth {
  /** Whether calls of a class may be made; default: listing and deleting. On trial batches may, while none is under way. */
  current(callClass?: CallClass): Health;
  /** How the source stands, for those who watch it: what is on trial is halted. */
  standing(): Health;
  /** Throws the reason as a RedriverError unless calls of this class may be made; default: listing and deleting. */
  check(callClass?: CallClass): void;
  /** Learns from a failure of a call; default: to list or delete. Halts if its disposition says so. */
  note(error: unknown, callClass?: CallClass): void;
  /** Learns from a failed delete. An answer of no shape at all is as good as lost; only the third in a row halts. */
  noteDelete(error: unknown): void;
  /** Default: everything. */
  halt(code: ErrorCode, message: string, callClass?: CallClass): void;
  /** What this class of calls had halted; default: whatever had. */
  resume(callClass?: CallClass): void;
  /** Puts halted publishing on trial; `afresh`: and forgets the trials that failed, because something has changed. */
  tryPublishing(afresh?: "afresh"): void;
  /** Sends a batch. On trial no other may be sent meanwhile; one that ends without an answer leaves the trial as it was. */
  publishing<Sent>(send: () => Promise<Sent>): Promise<Sent>;
  /** A batch was answered readably. `some-accepted`: the service takes messages; a deduplication hit shows that too. */
  batchAnswered(items: "some-accepted" | "none-accepted"): void;
  /** Dead letters were deleted. */
  deleted(): void;
  /** How often they were: whoever met a refused delete sees whether another went through since. */
  deletes(): number;
  /** Whether a call that failed may be made again now; takes the try. */
  mayRetry(): boolean;
}

/** A proxy's error page under 200 comes alone; a service that speaks another language says nothing else. */
const foreignToHalt = 3;

export function createSourceHealth(
  source: SourceId,
  clock: Pick<Clock, "now" | "monotonic">,
  events: Events,
  rests: Rests,
): SourceHealth {
  const halts: Record<CallClass, Halt | null> = { dlq: null, batch: null };
  let isTrialUnderWay = false;
  let deletes = 0;
  let foreignDeletes = 0;
  const worst = (): Halt | null => halts.dlq ?? halts.batch;

  /** Tells how the source stands as a whole, where that is another than before. */
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

  const health: SourceHealth = {
    mayRetry: () => rests.mayRetry(),
    current(callClass = "dlq") {
      if (halts.dlq !== null) return halts.dlq;
      const mayTry = halts.batch?.onTrial === true && !isTrialUnderWay;
      if (callClass === "batch" && halts.batch !== null && !mayTry) return halts.batch;
      const leftMs = rests.leftMs(callClass);
      return leftMs > 0 ? { state: "waiting", until: clock.now() + leftMs } : { state: "usable" };
    },
    standing: () => worst() ?? health.current("batch"),
    check(callClass) {
      const now = health.current(callClass);
      if (now.state === "halted") throw new RedriverError(now.code, now.message);
      if (now.state === "waiting") {
        throw new RedriverError("service-resting", `source ${source} is left alone for now`, {
          retryAt: now.until,
        });
      }
    },
    note(error, callClass) {
      if (!isRedriverError(error)) return;
      if (error.disposition === "halt") health.halt(error.code, error.message, callClass);
    },
    noteDelete(error) {
      const isForeign = isRedriverError(error) && error.isForeign;
      foreignDeletes = isForeign ? foreignDeletes + 1 : 0;
      if (!isForeign || foreignDeletes >= foreignToHalt) health.note(error);
    },
    halt(code, message, callClass = "dlq") {
      const before = halts[callClass];
      if (before !== null && !before.onTrial) return;
      const failedTrials = before === null ? 0 : before.failedTrials + 1;
      const since = clock.monotonic();
      changeHalts(() => {
        halts[callClass] = { state: "halted", callClass, code, message, since, onTrial: false, failedTrials };
      });
    },
    resume(callClass) {
      changeHalts(() => {
        for (const one of callClass === undefined ? callClasses : [callClass]) halts[one] = null;
      });
    },
    tryPublishing(afresh) {
      if (halts.batch === null) return;
      const failedTrials = afresh === undefined ? halts.batch.failedTrials : 0;
      halts.batch = { ...halts.batch, onTrial: true, failedTrials };
    },
    async publishing(send) {
      if (halts.batch === null) return send();
      isTrialUnderWay = true;
      try {
        return await send();
      } finally {
        isTrialUnderWay = false;
      }
    },
    batchAnswered(items) {
      const { batch } = halts;
      if (batch === null) return;
      const wasRefused = batch.code === "service-refuses-everything";
      // Refusals are answers, but not to the question whether it refuses everything. What it took settles that, on trial or not.
      const isProof = wasRefused ? items === "some-accepted" : batch.onTrial;
      if (isProof) health.resume("batch");
    },
    deleted() {
      deletes += 1;
      foreignDeletes = 0;
    },
    deletes: () => deletes,
  };
  return health;
}
