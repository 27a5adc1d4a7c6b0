import type { Clock } from "../ports/clock.ts";
import { RedriverError, isRedriverError, type ErrorCode } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { SourceId } from "../ports/ids.ts";
import { callClasses, type CallClass } from "../ports/rests.ts";
import type { Rests } from "./resting-service.ts";

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
      /** By clock.monotonic(). */
      readonly since: number;
    };

type Halt = Extract<Health, { state: "halted" }>;

/**
 * Whether a source may be called. What halts it is known in this process; that it rests, to all replicas.
 *
 *   usable ──429, no answers──► waiting ──time──► usable
 *   usable ──401, shape, address──► halted ──resume()──► usable
 *
 * What halts publishing leaves listing and deleting as they are: what is published is still deleted, and what nears its expiry
 * is still copied. Where the DLQ cannot be listed or deleted from, nothing is published either.
 *
 * Not part of this contract: when a halted source is tried again; that is the prober's.
 */
export interface SourceHealth {
  /** For a class of calls; default: listing and deleting. */
  current(callClass?: CallClass): Health;
  /** Throws the reason as a RedriverError unless calls of this class may be made; default: listing and deleting. */
  check(callClass?: CallClass): void;
  /** Learns from a failure of a call; default: to list or delete. Halts if its disposition says so. */
  note(error: unknown, callClass?: CallClass): void;
  /** Default: everything. */
  halt(code: ErrorCode, message: string, callClass?: CallClass): void;
  /** What this class of calls had halted; default: whatever had. */
  resume(callClass?: CallClass): void;
  /** Dead letters were deleted. */
  deleted(): void;
  /** How often they were: whoever met a refused delete sees whether another went through since. */
  deletes(): number;
  /** Whether a call that failed may be made again now; takes the try. */
  mayRetry(): boolean;
}

export function createSourceHealth(
  source: SourceId,
  clock: Pick<Clock, "now" | "monotonic">,
  events: Events,
  rests: Rests,
): SourceHealth {
  const halts: Record<CallClass, Halt | null> = { dlq: null, batch: null };
  let deletes = 0;
  const worst = (): Halt | null => halts.dlq ?? halts.batch;

  /** Tells how the source stands as a whole, where that is another than before. */
  const changeHalts = (change: () => void): void => {
    const before = worst();
    change();
    const after = worst();
    if (after === before) return;
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
      const halt = callClass === "dlq" ? halts.dlq : worst();
      if (halt !== null) return halt;
      const leftMs = rests.leftMs(callClass);
      return leftMs > 0 ? { state: "waiting", until: clock.now() + leftMs } : { state: "usable" };
    },
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
    halt(code, message, callClass = "dlq") {
      if (halts[callClass] !== null) return;
      changeHalts(() => {
        halts[callClass] = { state: "halted", callClass, code, message, since: clock.monotonic() };
      });
    },
    deleted() {
      deletes += 1;
    },
    deletes: () => deletes,
    resume(callClass) {
      changeHalts(() => {
        for (const one of callClass === undefined ? callClasses : [callClass]) halts[one] = null;
      });
    },
  };
  return health;
}
