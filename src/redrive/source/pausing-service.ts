import type { Clock } from "../../ports/clock.ts";
import { isRedisAway, isRedriverError, RedriverError, type ErrorCode } from "../../ports/errors.ts";
import type { Events, ServiceOperation } from "../../ports/events.ts";
import type { SourceId } from "../../ports/ids.ts";
import {
  callClasses,
  probeLimitEveryMs,
  probeSlackMs,
  type CallClass,
  type SourcePause,
  type SourcePauseBook,
} from "../../ports/source-pauses.ts";
import type { BatchOutcome, MessageService } from "../../ports/service.ts";
import { createRetryBudget } from "./retry-budget.ts";

/** What this process knows of its source's rests: what it was told when it asked last. */
export interface Rests {
  /** For how long calls of this class are left out from now on, ms; 0: not, as far as is known. */
  leftMs(callClass: CallClass): number;
  /** Whether a call that failed may be made again now. */
  mayRetry(): boolean;
}

export interface RestingParts {
  readonly source: SourceId;
  readonly service: MessageService;
  readonly book: SourcePauseBook;
  /** How long a call of each kind may take. */
  readonly timeoutsMs: Readonly<Record<ServiceOperation, number>>;
  readonly clock: Pick<Clock, "now" | "monotonic" | "random">;
  readonly events: Events;
}

/** How a call was let through. */
type Leave = "go" | "probe" | "limit-probe";

/** What a call's end says about the service. `silent`: nothing, it was never sent or was stopped here. */
type Sign = "answered" | "failed" | "silent" | { readonly limitedUntil: number };

/**
 * The service of a source that is left alone when it asks for that (429) or does not answer, by all replicas at once (ports/source-pauses.ts).
 * Every call asks first; one that must rest is not made: a list or delete throws `rate-limited` or `service-resting` with
 * retryAt, a publish is `not-sent` with `resting`. While Redis is away only what this process knows is kept to.
 */
export function createRestingService(parts: RestingParts): {
  readonly service: MessageService;
  readonly rests: Rests;
} {
  const { source, service, book, timeoutsMs, clock, events } = parts;
  /** `endsAt` by clock.monotonic(): a clock that is set back must not make a rest longer. */
  const known: Record<CallClass, { endsAt: number; why: SourcePause["why"] }> = {
    dlq: { endsAt: -Infinity, why: "rate-limited" },
    batch: { endsAt: -Infinity, why: "rate-limited" },
  };
  const leftMs = (callClass: CallClass): number => Math.max(0, known[callClass].endsAt - clock.monotonic());
  /** There may be failures in the book that an answer ends. */
  let isShaky = false;
  const budget = createRetryBudget();

  const learn = (callClass: CallClass, { why, forMs }: SourcePause, isNews: boolean): void => {
    known[callClass] = { endsAt: clock.monotonic() + beforeProbe(why, forMs), why };
    if (why === "failing") isShaky = true;
    if (isNews) events.emit({ type: "source:waiting", source, callClass, why, until: clock.now() + forMs });
  };

  const ask = async (operation: ServiceOperation): Promise<SourcePause | Leave> => {
    const callClass = classOf(operation);
    const forMs = leftMs(callClass);
    if (forMs > 0) return { why: known[callClass].why, forMs };
    try {
      const answer = await book.ask(callClass, timeoutsMs[operation] + probeSlackMs);
      if (answer === "probe") isShaky = true;
      else if (typeof answer === "object") learn(callClass, answer, false);
      return answer;
    } catch (error) {
      if (isRedisAway(error)) return "go";
      throw error;
    }
  };

  /** What cannot be written now is learned again from the next answer. */
  const tell = async (callClass: CallClass, sign: Sign, leave: Leave): Promise<void> => {
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
      } else if (sign === "silent") {
        if (leave !== "go") await book.giveBack(callClass);
      } else if (leave === "limit-probe") {
        known[callClass] = { ...known[callClass], endsAt: -Infinity };
        await book.lifted(callClass);
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

  const around = async <Value>(operation: "list" | "delete", call: () => Promise<Value>): Promise<Value> => {
    const answer = await ask(operation);
    if (typeof answer === "object") throw toError(source, operation, answer, clock.now());
    let value: Value;
    try {
      value = await call();
    } catch (error) {
      await tell("dlq", signOfError(error, clock.now()), answer);
      throw untilProbe(error, clock.now());
    }
    await tell("dlq", "answered", answer);
    return value;
  };

  return {
    rests: { leftMs, mayRetry: () => budget.take() },
    service: {
      list: (query, signal) => around("list", () => service.list(query, signal)),
      remove: (dlqIds, signal) => around("delete", () => service.remove(dlqIds, signal)),
      async publish(items, lastByteAllowed, signal) {
        const answer = await ask("batch");
        if (typeof answer === "object") {
          const { message, retryAt } = toError(source, "batch", answer, clock.now());
          return {
            kind: "not-sent",
            why: "resting",
            error: message,
            ...(retryAt === undefined ? {} : { retryAt }),
          };
        }
        const outcome = await service.publish(items, lastByteAllowed, signal);
        await tell("batch", signOfBatch(outcome, clock.now()), answer);
        if (outcome.kind !== "not-sent" || outcome.retryAt === undefined) return outcome;
        return { ...outcome, retryAt: Math.min(outcome.retryAt, clock.now() + probeLimitEveryMs) };
      },
      clockOffsetMs: (of) => service.clockOffsetMs(of),
    },
  };
}

/** Nobody waits for longer than until the next probe, which one of them is. */
function beforeProbe(why: SourcePause["why"], forMs: number): number {
  return why === "rate-limited" ? Math.min(forMs, probeLimitEveryMs) : forMs;
}

function untilProbe(error: unknown, now: number): unknown {
  if (!isRedriverError(error) || error.code !== "rate-limited" || error.retryAt === undefined) return error;
  const retryAt = now + beforeProbe("rate-limited", error.retryAt - now);
  return new RedriverError(error.code, error.message, {
    retryAt,
    cause: error,
    ...(error.status === undefined ? {} : { status: error.status }),
  });
}

function classOf(operation: ServiceOperation): CallClass {
  return operation === "batch" ? "batch" : "dlq";
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

function toError(source: SourceId, what: string, { why, forMs }: SourcePause, now: number): RedriverError {
  const seconds = Math.ceil(forMs / 1_000);
  const retryAt = now + forMs;
  switch (why) {
    case "rate-limited":
      return new RedriverError(
        "rate-limited",
        `${what}: source ${source} is rate limited for ${seconds} s more`,
        {
          retryAt,
          notSent: true,
        },
      );
    case "failing":
      return new RedriverError(
        "service-resting",
        `${what}: source ${source} does not answer and is left alone for ${seconds} s`,
        { retryAt, notSent: true },
      );
  }
}
