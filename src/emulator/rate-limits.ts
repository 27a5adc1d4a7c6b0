import type { EmulatorClock } from "./clock.ts";
import { limitHeaders } from "./http/limit-headers.ts";
import { errorAnswer, type Answer } from "./http/exchange.ts";
import type { Operation } from "./journal.ts";
import type { RateLimit, Settings } from "./options.ts";

/** Fixed windows per operation, on the emulator's clock. */
export class RateLimits {
  readonly #limits: Settings["rateLimits"];
  readonly #clock: EmulatorClock;
  readonly #windows = new Map<Operation, { start: number; used: number }>();

  constructor(limits: Settings["rateLimits"], clock: EmulatorClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Counts one request; the answer to give where it is one too many. */
  admit(operation: Operation): Answer | undefined {
    const limit = (this.#limits as Partial<Record<Operation, RateLimit>>)[operation];
    if (limit === undefined) return undefined;
    const start = Math.floor(this.#clock.now() / limit.windowMs) * limit.windowMs;
    let window = this.#windows.get(operation);
    if (window?.start !== start) this.#windows.set(operation, (window = { start, used: 0 }));
    window.used++;
    if (window.used <= limit.limit) return undefined;
    const reset = Math.ceil((start + limit.windowMs) / 1_000);
    return errorAnswer(429, "rate limit exceeded", limitHeaders("burst", limit.limit, 0, reset));
  }

  clear(): void {
    this.#windows.clear();
  }
}
