import type { Clock } from "../ports/clock.ts";
import { RedriverError, isRedriverError, type ErrorCode } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { SourceId } from "../ports/ids.ts";

export type Health =
  | { readonly state: "usable" }
  /** Rate limited: no call before `until` (Unix ms). */
  | { readonly state: "waiting"; readonly until: number }
  | { readonly state: "halted"; readonly code: ErrorCode; readonly message: string; readonly since: number };

/**
 * Whether a source may be called, in this process.
 *
 *   usable ──429──► waiting ──time──► usable
 *   usable ──401, shape, address──► halted ──resume()──► usable
 *
 * Not part of this contract: when a halted source is probed; that is the prober's.
 */
export interface SourceHealth {
  current(): Health;
  /** Throws the reason as a RedriverError unless the source is usable. */
  check(): void;
  /** Learns from a failure of a call: halts or waits as its disposition says. */
  note(error: unknown): void;
  halt(code: ErrorCode, message: string): void;
  wait(until: number): void;
  resume(): void;
}

export function createSourceHealth(source: SourceId, clock: Clock, events: Events): SourceHealth {
  let halted: Extract<Health, { state: "halted" }> | null = null;
  let waitingUntil = 0;

  const health: SourceHealth = {
    current() {
      if (halted !== null) return halted;
      return waitingUntil > clock.now() ? { state: "waiting", until: waitingUntil } : { state: "usable" };
    },
    check() {
      const now = health.current();
      if (now.state === "halted") throw new RedriverError(now.code, now.message);
      if (now.state === "waiting") {
        throw new RedriverError("rate-limited", `source ${source} is rate limited`, { retryAt: now.until });
      }
    },
    note(error) {
      if (!isRedriverError(error)) return;
      if (error.disposition === "halt") health.halt(error.code, error.message);
      if (error.disposition === "wait") health.wait(error.retryAt ?? clock.now() + 10_000);
    },
    halt(code, message) {
      if (halted !== null) return;
      halted = { state: "halted", code, message, since: clock.now() };
      events.emit({ type: "source:halted", source, code, message });
    },
    wait(until) {
      if (until <= waitingUntil) return;
      waitingUntil = until;
      events.emit({ type: "source:waiting", source, until });
    },
    resume() {
      if (halted === null) return;
      halted = null;
      events.emit({ type: "source:resumed", source });
    },
  };
  return health;
}
