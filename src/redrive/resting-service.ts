import type { Clock } from "../ports/clock.ts";
import { isRedisAway, isRedriverError, RedriverError, type ErrorCode } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { SourceId } from "../ports/ids.ts";
import { callClasses, type CallClass, type Rest, type RestBook } from "../ports/rests.ts";
import type { BatchOutcome, MessageService } from "../ports/service.ts";
import { createRetryBudget } from "./retry-budget.ts";

/** What this process knows of its source's rests: what it was told when it asked last. */
export interface Rests {
  /** Unix ms by this process's clock until which calls of this class are left out; 0: none that is known of. */
  until(callClass: CallClass): number;
  /** Whether a call that failed may be made again now. */
  mayRetry(): boolean;
}

export interface RestingParts {
  readonly source: SourceId;
  readonly service: MessageService;
  readonly book: RestBook;
  readonly clock: Pick<Clock, "now" | "random">;
  readonly events: Events;
}

/** What a call's end says about the service. `silent`: nothing, it was never sent or was stopped here. */
type Sign = "answered" | "failed" | "silent" | { readonly limitedUntil: number };

/**
 * The service of a source that is left alone when it asks for that (429) or does not answer, by all replicas at once (rests.ts).
 * Every call asks first; one that must rest is not made: a list or delete throws `rate-limited` or `service-resting` with
 * retryAt, a publish is `not-sent` with `resting`. While Redis is away only what this process knows is kept to.
 */
export function createRestingService(parts: RestingParts): {
  readonly service: MessageService;
  readonly rests: Rests;
} {
  const { source, service, book, clock, events } = parts;
  const known: Record<CallClass, { until: number; why: Rest["why"] }> = {
    dlq: { until: 0, why: "rate-limited" },
    batch: { until: 0, why: "rate-limited" },
  };
  /** There may be failures in the book that an answer ends. */
  let isShaky = false;
  const budget = createRetryBudget();

  const learn = (callClass: CallClass, { why, forMs }: Rest, isNews: boolean): void => {
    const until = clock.now() + forMs;
    known[callClass] = { until, why };
    if (why === "failing") isShaky = true;
    if (isNews) events.emit({ type: "source:waiting", source, callClass, why, until });
  };

  const ask = async (callClass: CallClass): Promise<Rest | null> => {
    const { until, why } = known[callClass];
    const forMs = until - clock.now();
    if (forMs > 0) return { why, forMs };
    try {
      const rest = await book.ask(callClass);
      if (rest !== null) learn(callClass, rest, false);
      return rest;
    } catch (error) {
      if (isRedisAway(error)) return null;
      throw error;
    }
  };

  /** What cannot be written now is learned again from the next answer. */
  const tell = async (callClass: CallClass, sign: Sign): Promise<void> => {
    if (sign === "answered") budget.earn();
    try {
      if (typeof sign === "object") {
        const forMs = Math.max(0, sign.limitedUntil - clock.now());
        learn(callClass, { why: "rate-limited", forMs }, true);
        await book.limited(callClass, forMs);
      } else if (sign === "failed") {
        isShaky = true;
        const rest = await book.failed(clock.random());
        if (rest !== null) for (const one of callClasses) learn(one, rest, one === callClass);
      }
      if (sign === "answered" || typeof sign === "object") {
        if (!isShaky) return;
        await book.answered();
        isShaky = false;
      }
    } catch (error) {
      if (!isRedisAway(error)) throw error;
    }
  };

  const around = async <Value>(what: string, call: () => Promise<Value>): Promise<Value> => {
    const rest = await ask("dlq");
    if (rest !== null) throw toError(source, what, rest, clock.now());
    try {
      const value = await call();
      await tell("dlq", "answered");
      return value;
    } catch (error) {
      await tell("dlq", signOfError(error, clock.now()));
      throw error;
    }
  };

  return {
    rests: { until: (callClass) => known[callClass].until, mayRetry: () => budget.take() },
    service: {
      list: (query, signal) => around("list", () => service.list(query, signal)),
      remove: (dlqIds, signal) => around("delete", () => service.remove(dlqIds, signal)),
      async publish(items, lastByteAllowed, signal) {
        const rest = await ask("batch");
        if (rest !== null) {
          const { message, retryAt } = toError(source, "batch", rest, clock.now());
          return {
            kind: "not-sent",
            why: "resting",
            error: message,
            ...(retryAt === undefined ? {} : { retryAt }),
          };
        }
        const outcome = await service.publish(items, lastByteAllowed, signal);
        await tell("batch", signOfBatch(outcome, clock.now()));
        return outcome;
      },
      clockOffsetMs: () => service.clockOffsetMs(),
    },
  };
}

const unknownWaitMs = 10_000;

/** Errors of a call that was answered, if not as it was meant to be. */
const answeredCodes: ReadonlySet<ErrorCode> = new Set([
  "unauthorised",
  "source-misconfigured",
  "answer-unreadable",
  "answer-too-large",
  "request-refused",
]);

function signOfError(error: unknown, now: number): Sign {
  if (!isRedriverError(error)) return "silent";
  const { code, retryAt } = error;
  if (code === "rate-limited") return { limitedUntil: retryAt ?? now + unknownWaitMs };
  if (code === "service-unavailable" || code === "service-timeout") return "failed";
  return answeredCodes.has(code) ? "answered" : "silent";
}

function signOfBatch(outcome: BatchOutcome, now: number): Sign {
  switch (outcome.kind) {
    case "answered":
    case "refused":
    case "misconfigured":
      return "answered";
    case "unknown":
      return "failed";
    case "not-sent":
      switch (outcome.why) {
        case "rate-limited":
          return { limitedUntil: outcome.retryAt ?? now + unknownWaitMs };
        case "connect":
          return "failed";
        case "too-late":
        case "stopped":
        case "resting":
          return "silent";
      }
  }
}

function toError(source: SourceId, what: string, { why, forMs }: Rest, now: number): RedriverError {
  const seconds = Math.ceil(forMs / 1_000);
  const retryAt = now + forMs;
  switch (why) {
    case "rate-limited":
      return new RedriverError(
        "rate-limited",
        `${what}: source ${source} is rate limited for ${seconds} s more`,
        {
          retryAt,
        },
      );
    case "failing":
      return new RedriverError(
        "service-resting",
        `${what}: source ${source} does not answer and is left alone for ${seconds} s`,
        { retryAt },
      );
  }
}
