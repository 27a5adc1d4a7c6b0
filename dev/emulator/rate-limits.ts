import type { EmulatorContext } from "./context.ts";
import { errorFor, limitHeaders, type EmulatorAnswer } from "./http/answers.ts";
import type { Operation } from "./journal.ts";
import type { RateLimitsByOperation } from "./options.ts";

/** They share the limit `dlq`, each besides its own. */
const dlqOperations: ReadonlySet<Operation> = new Set<Operation>(["list", "delete", "retry"]);

export class RateLimits {
  readonly #context: EmulatorContext;
  readonly #windows = new Map<keyof RateLimitsByOperation, { start: number; used: number }>();

  constructor(context: EmulatorContext) {
    this.#context = context;
  }

  /** Counts one request; the answer to give where it is one too many. */
  admit(operation: Operation): EmulatorAnswer | undefined {
    const refused = this.#admitBy(operation, operation);
    return refused ?? (dlqOperations.has(operation) ? this.#admitBy("dlq", operation) : undefined);
  }

  #admitBy(name: keyof RateLimitsByOperation, operation: Operation): EmulatorAnswer | undefined {
    const limit = this.#context.settings.rateLimits[name];
    if (limit === undefined) return undefined;
    const start = Math.floor(this.#context.clock.now() / limit.windowMs) * limit.windowMs;
    let window = this.#windows.get(name);
    if (window?.start !== start) this.#windows.set(name, (window = { start, used: 0 }));
    window.used++;
    if (window.used <= limit.limit) return undefined;
    const reset = Math.ceil((start + limit.windowMs) / 1_000);
    const headers = limitHeaders(limit.kind ?? "burst", limit.limit, reset);
    return errorFor(operation, 429, "rate limit exceeded", headers);
  }
}
