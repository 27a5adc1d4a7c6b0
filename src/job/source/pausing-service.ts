import { defined } from "../message/defined.ts";
import type { Clock } from "../contracts/clock.ts";
import { isRedriverError, RedriverError, unlessRedisAway, type ErrorCode } from "../contracts/errors.ts";
import type { Events, ServiceOperation } from "../contracts/events.ts";
import type { SourceId } from "../contracts/ids.ts";
import {
  calmForMs,
  callClasses,
  probeLimitEveryMs,
  probeSlackMs,
  type CallClass,
  type SourcePause,
  type SourcePauseBook,
} from "../contracts/source-pauses.ts";
import type { BatchOutcome, MessageService, ServiceRetrier } from "../contracts/service.ts";
import type { TakeTurn } from "./calls-in-turn.ts";
import { createRetryBudget } from "./retry-budget.ts";

export interface KnownPauses {
  leftMs(callClass: CallClass): number;
  /** It paused because it did not answer, and nobody has told this process of an answer since. */
  isFailing(): boolean;
  /** True if a failed call may be tried again now. Takes one try from the budget. */
  takeRetry(): boolean;
}

export interface PausingParts {
  readonly source: SourceId;
  readonly service: MessageService & ServiceRetrier;
  /** For lists and deletes. A batch takes its turn before it is begun (publish.ts). */
  readonly takeTurn: TakeTurn;
  readonly book: SourcePauseBook;
  readonly timeoutsMs: Readonly<Record<ServiceOperation, number>>;
  readonly clock: Pick<Clock, "now" | "monotonic" | "random">;
  readonly events: Events;
}

type Leave = "go" | "probe" | "limit-probe";

/** The end of a call, as news of the service. `silent`: none, because it was never sent or was stopped here. */
type Sign = "answered" | "failed" | "silent" | { readonly limitedUntil: number };

/**
 * The service of a source with its pauses, which all replicas share (contracts/source-pauses.ts). A call asks
 * first, unless all was calm within the last second and no call of this process has failed or was limited since.
 * During a pause a list or delete throws `rate-limited` or `service-resting` with retryAt, and a publish is
 * `not-sent` with `resting`. Without Redis only pauses known to this process count.
 */
export function createPausingService(parts: PausingParts) {
  const { source, service, takeTurn, book, timeoutsMs, clock, events } = parts;
  /** `endsAt` by clock.monotonic(): a clock that is set back must not make a pause longer. */
  const known: Record<CallClass, { endsAt: number; why: SourcePause["why"] }> = {
    dlq: { endsAt: -Infinity, why: "rate-limited" },
    batch: { endsAt: -Infinity, why: "rate-limited" },
  };
  const leftMs = (callClass: CallClass): number => Math.max(0, known[callClass].endsAt - clock.monotonic());
  /** The book may hold failures that an answer ends. */
  let isShaky = false;
  let isFailing = false;
  const budget = createRetryBudget();
  let calmUntil = -Infinity;
  /** Failed and limited calls of this process. An answer from before one of them shows no calm. */
  let troubles = 0;
  let asking: Promise<unknown> | null = null;
  const isCalm = (): boolean => clock.monotonic() < calmUntil;

  const learn = (callClass: CallClass, { why, forMs }: SourcePause, isNews: boolean): void => {
    known[callClass] = { endsAt: clock.monotonic() + beforeProbe(why, forMs), why };
    if (why === "failing") isShaky = isFailing = true;
    if (isNews) events.emit({ type: "source:waiting", source, callClass, why, until: clock.now() + forMs });
  };

  const ask = async (operation: ServiceOperation): Promise<SourcePause | Leave> => {
    const callClass = operation === "batch" ? "batch" : "dlq";
    const forMs = leftMs(callClass);
    if (forMs > 0) return { why: known[callClass].why, forMs };
    if (isCalm()) return "go";
    // What another call is asking right now may show that all is calm.
    if (asking !== null) await asking;
    if (isCalm()) return "go";
    const withinMs = timeoutsMs[operation] + probeSlackMs;
    const [askedAt, troublesBefore] = [clock.monotonic(), troubles];
    const question = unlessRedisAway(() => book.ask(callClass, withinMs), "go" as const);
    asking = question.catch(() => undefined).finally(() => (asking = null));
    const answer = await question;
    if (answer === "calm") {
      isFailing = false;
      if (troubles === troublesBefore) calmUntil = askedAt + calmForMs;
      return "go";
    }
    if (answer === "probe") isShaky = true;
    else if (typeof answer === "object") learn(callClass, answer, false);
    return answer;
  };

  const recordEnd = async (callClass: CallClass, sign: Sign, leave: Leave): Promise<void> => {
    if (sign === "silent") {
      if (leave !== "go") await book.giveBack(callClass);
      return;
    }
    if (sign !== "answered") {
      calmUntil = -Infinity;
      troubles += 1;
    }
    if (sign === "failed") {
      isShaky = true;
      const pause = await book.failed(clock.random());
      if (pause !== null) for (const one of callClasses) learn(one, pause, one === callClass);
      return;
    }
    if (typeof sign === "object") {
      const forMs = Math.max(0, sign.limitedUntil - clock.now());
      learn(callClass, { why: "rate-limited", forMs }, true);
      await book.limited(callClass, forMs);
    } else if (leave === "limit-probe") {
      known[callClass] = { ...known[callClass], endsAt: -Infinity };
      await book.lifted(callClass);
    }
    if (!isShaky) return;
    await book.answered();
    isShaky = isFailing = false;
  };

  /** Learns from the end of a call. A failed write is repaired by the next answer. */
  const learnEnd = async (callClass: CallClass, sign: Sign, leave: Leave): Promise<void> => {
    if (sign === "answered") budget.earn();
    await unlessRedisAway(() => recordEnd(callClass, sign, leave), undefined);
  };

  const call = async <Value>(
    operation: "list" | "delete",
    signal: AbortSignal | undefined,
    send: () => Promise<Value>,
  ): Promise<Value> => {
    const endTurn = await takeTurn(operation, signal);
    try {
      const answer = await ask(operation);
      if (typeof answer === "object") throw toError(source, operation, answer, clock.now());
      let value: Value;
      try {
        value = await send();
      } catch (error) {
        await learnEnd("dlq", signOfError(error, clock.now()), answer);
        throw untilProbe(error, clock.now());
      }
      await learnEnd("dlq", "answered", answer);
      return value;
    } finally {
      endTurn();
    }
  };

  const pauses: KnownPauses = { leftMs, isFailing: () => isFailing, takeRetry: () => budget.take() };
  const pausing: MessageService & ServiceRetrier = {
    list: (query, signal) => call("list", signal, () => service.list(query, signal)),
    remove: (dlqIds, signal) => call("delete", signal, () => service.remove(dlqIds, signal)),
    retry: (dlqId, mayBeSent, signal) =>
      call("delete", signal, () => service.retry(dlqId, mayBeSent, signal)),
    // It has its turn already.
    async publish(items, lastByteAllowed, signal) {
      const answer = await ask("batch");
      if (typeof answer === "object") {
        const { message, retryAt } = toError(source, "batch", answer, clock.now());
        return { kind: "not-sent", why: "resting", error: message, ...defined({ retryAt }) };
      }
      const outcome = await service.publish(items, lastByteAllowed, signal);
      await learnEnd("batch", signOfPost(outcome, clock.now()), answer);
      if (outcome.kind !== "not-sent" || outcome.retryAt === undefined) return outcome;
      return { ...outcome, retryAt: Math.min(outcome.retryAt, clock.now() + probeLimitEveryMs) };
    },
    clockOffsetMs: (of) => service.clockOffsetMs(of),
  };
  return { service: pausing, pauses };
}

/** Nobody waits longer than until the next probe, and one of the waiting calls is that probe. */
function beforeProbe(why: SourcePause["why"], forMs: number): number {
  return why === "rate-limited" ? Math.min(forMs, probeLimitEveryMs) : forMs;
}

function untilProbe(error: unknown, now: number): unknown {
  if (!isRedriverError(error) || error.code !== "rate-limited" || error.retryAt === undefined) return error;
  const retryAt = now + beforeProbe("rate-limited", error.retryAt - now);
  return new RedriverError(error.code, error.message, { retryAt, cause: error, status: error.status });
}

const unknownWaitMs = 10_000;

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

function signOfPost(outcome: BatchOutcome, now: number): Sign {
  if (outcome.kind === "in-doubt") return "failed";
  if (outcome.kind !== "not-sent") return "answered";
  if (outcome.why === "rate-limited") return { limitedUntil: outcome.retryAt ?? now + unknownWaitMs };
  return outcome.why === "connect" ? "failed" : "silent";
}

function toError(source: SourceId, what: string, { why, forMs }: SourcePause, now: number): RedriverError {
  const seconds = Math.ceil(forMs / 1_000);
  const [code, message] =
    why === "rate-limited"
      ? ([why, `${what}: source ${source} is rate limited for ${seconds} s more`] as const)
      : ([
          "service-resting",
          `${what}: source ${source} does not answer and is left alone for ${seconds} s`,
        ] as const);
  return new RedriverError(code, message, { retryAt: now + forMs, notSent: true });
}
