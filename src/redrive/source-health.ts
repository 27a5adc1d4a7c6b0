import type { Clock } from "../ports/clock.ts";
import { RedriverError, isRedriverError, type ErrorCode } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { SourceId } from "../ports/ids.ts";
import type { CallClass } from "../ports/rests.ts";
import type { Rests } from "./resting-service.ts";

export type Health =
  | { readonly state: "usable" }
  /** It rests (resting-service.ts): no call of this class before `until` (Unix ms). */
  | { readonly state: "waiting"; readonly until: number }
  | { readonly state: "halted"; readonly code: ErrorCode; readonly message: string; readonly since: number };

/**
 * Whether a source may be called. What halts it is known in this process; that it rests, to all replicas.
 *
 *   usable ──429, no answers──► waiting ──time──► usable
 *   usable ──401, shape, address──► halted ──resume()──► usable
 *
 * Not part of this contract: when a halted source is probed; that is the prober's.
 */
export interface SourceHealth {
  /** For a class of calls; default: listing and deleting. */
  current(callClass?: CallClass): Health;
  /** Throws the reason as a RedriverError unless the source may be listed. */
  check(): void;
  /** Learns from a failure of a call: halts if its disposition says so. */
  note(error: unknown): void;
  halt(code: ErrorCode, message: string): void;
  resume(): void;
  /** Whether a call that failed may be made again now; takes the try. */
  mayRetry(): boolean;
}

export function createSourceHealth(
  source: SourceId,
  clock: Pick<Clock, "now">,
  events: Events,
  rests: Rests,
): SourceHealth {
  let halted: Extract<Health, { state: "halted" }> | null = null;

  const health: SourceHealth = {
    mayRetry: () => rests.mayRetry(),
    current(callClass = "dlq") {
      if (halted !== null) return halted;
      const until = rests.until(callClass);
      return until > clock.now() ? { state: "waiting", until } : { state: "usable" };
    },
    check() {
      const now = health.current();
      if (now.state === "halted") throw new RedriverError(now.code, now.message);
      if (now.state === "waiting") {
        throw new RedriverError("service-resting", `source ${source} is left alone for now`, {
          retryAt: now.until,
        });
      }
    },
    note(error) {
      if (!isRedriverError(error)) return;
      if (error.disposition === "halt") health.halt(error.code, error.message);
    },
    halt(code, message) {
      if (halted !== null) return;
      halted = { state: "halted", code, message, since: clock.now() };
      events.emit({ type: "source:halted", source, code, message });
    },
    resume() {
      if (halted === null) return;
      halted = null;
      events.emit({ type: "source:resumed", source });
    },
  };
  return health;
}
