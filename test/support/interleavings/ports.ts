import type { DlqId } from "../../../src/job/message/dead-letter.ts";
import { createAuditOver } from "../../../src/job/store/audit/unwritten-entries.ts";
import type { Archive } from "../../../src/job/contracts/archive.ts";
import type { Audit } from "../../../src/job/contracts/audit.ts";
import { RedriverError, type ErrorCode } from "../../../src/job/contracts/errors.ts";
import type {
  BeginAnswer,
  BeginOptions,
  BeginRequest,
  Ledger,
  RefusedRequest,
} from "../../../src/job/contracts/ledger.ts";
import type { RefusedVerdict, PublishedFact } from "../../../src/job/contracts/ledger.ts";
import type { BatchOutcome, MessageService } from "../../../src/job/contracts/service.ts";
import type { LaneBook } from "../../../src/job/contracts/lanes.ts";
import { limits } from "./limits.ts";
import { readItem, type ModelService, type SentItem } from "./model-service.ts";
import type { Mishap, Operation, Plan } from "./plan.ts";
import type { Turns } from "./turns.ts";
import type { Witness } from "./witness.ts";
import { textOfEncoded } from "../text-of-encoded.ts";

/** One worker as its ports see it. */
export interface Life {
  readonly name: string;
  /** One's turn; never comes for the dead. */
  turn(label: string): Promise<void>;
  /** Never returns. */
  die(): Promise<never>;
  isDead(): boolean;
}

export interface World {
  readonly plan: Plan;
  readonly turns: Turns;
  readonly service: ModelService;
  readonly ledger: Ledger;
  readonly laneBook: LaneBook;
  readonly witness: Witness;
}

interface Call<Value> {
  readonly operation: Operation;
  readonly label?: string;
  readonly effect: () => Promise<Value> | Value;
  readonly failure: (how: Mishap | null) => RedriverError;
}

const redisAway = (): RedriverError => new RedriverError("redis-unavailable", "no answer");

/** A call in two turns: its effect, and its answer. What goes wrong with it is planned. */
async function call<Value>(
  { turns }: World,
  life: Life,
  { operation, label = operation, effect, failure }: Call<Value>,
): Promise<Value> {
  const { clock } = turns;
  const mishap = turns.mishap(operation);
  const stall = async (when: "before" | "after"): Promise<void> => {
    if (mishap?.kind === "dies" && mishap.when === when) return life.die();
    if (mishap?.kind === "stalls" && mishap.when === when) await clock.sleep(mishap.ms);
    if (life.isDead()) return life.die();
  };
  await life.turn(label);
  await stall("before");
  if (mishap?.kind === "fails" || mishap?.kind === "refused") throw failure(mishap);
  if (mishap?.kind === "late") {
    turns.background(async () => {
      await clock.sleep(mishap.ms);
      await effect();
    });
    throw failure(mishap);
  }
  let value = await effect();
  if (mishap?.kind === "sent-twice") {
    await clock.sleep(mishap.ms);
    if (life.isDead()) return life.die();
    value = await effect();
  }
  await stall("after");
  await life.turn(`${label} answered`);
  if (mishap?.kind === "answer-lost") throw failure(mishap);
  return value;
}

/** A port each of whose calls is made in two turns. What is no planned operation is served as it is. */
export function inTurns<Port extends object>(
  world: World,
  life: Life,
  port: Port,
  operations: readonly (Operation & keyof Port)[],
): Port {
  const calls = operations.map((operation) => {
    const inner = port[operation] as (...args: readonly unknown[]) => Promise<unknown>;
    const outer = (...args: readonly unknown[]): Promise<unknown> =>
      call(world, life, { operation, effect: () => inner.apply(port, [...args]), failure: redisAway });
    return [operation, outer] as const;
  });
  return { ...port, ...Object.fromEntries(calls) };
}

const ledgerOperations = [
  "now",
  "look",
  "begin",
  "published",
  "refused",
  "archived",
  "gone",
  "deleteFailed",
  "markUnlistedGone",
  "park",
  "unknownOutcomes",
  "pendingDeletes",
  "summary",
] as const;

/** The shared ledger as one worker reaches it. */
export function ledgerOf(world: World, life: Life): Ledger {
  const ledger = inTurns(world, life, watched(world, life), ledgerOperations);
  const { witness } = world;
  return {
    ...ledger,
    async published(facts) {
      try {
        return await ledger.published(facts);
      } catch (error) {
        witness.factTold(idsOfFacts(facts));
        throw error;
      }
    },
  };
}

function idsOfFacts(facts: readonly PublishedFact[]): readonly DlqId[] {
  return facts.map(({ dlqId }) => dlqId);
}

/** The ledger with somebody who looks after every effect. */
function watched({ plan, ledger, witness, service }: World, life: Life): Ledger {
  const seen =
    <Args extends unknown[], Answer>(
      effect: (...args: Args) => Promise<Answer>,
      tell: (answer: Answer, ...args: Args) => void = () => undefined,
    ) =>
    async (...args: Args): Promise<Answer> => {
      if (plan.scriptsTwice) tell(await effect(...args), ...args);
      const answer = await effect(...args);
      tell(answer, ...args);
      await witness.look();
      return answer;
    };
  const noteBegin = (answer: BeginAnswer, requests: readonly BeginRequest[], options: BeginOptions): void => {
    witness.begun(options, answer);
    if (answer.kind !== "answered" || options.previous === undefined) return;
    service.endNoted(
      life.name,
      requests.flatMap(({ dlqId }, index) => (answer.verdicts[index]?.kind === "begun" ? [dlqId] : [])),
    );
  };
  const noteEnds = (
    { verdicts }: { readonly verdicts: readonly RefusedVerdict[] },
    requests: readonly RefusedRequest[],
  ): void => {
    service.endNoted(
      life.name,
      requests.flatMap(({ dlqId }, index) => (verdicts[index]?.kind === "not-yours" ? [] : [dlqId])),
    );
  };
  return {
    ...ledger,
    begin: seen(ledger.begin, noteBegin),
    published: seen(ledger.published, (_answer, facts) => {
      witness.factTold(idsOfFacts(facts));
      witness.published(idsOfFacts(facts.filter(({ deletePending }) => deletePending)));
    }),
    refused: seen(ledger.refused, noteEnds),
    archived: seen(ledger.archived, (_answer, dlqIds) => witness.factTold(dlqIds)),
    gone: seen(ledger.gone),
    deleteFailed: seen(ledger.deleteFailed),
    markUnlistedGone: seen(ledger.markUnlistedGone),
    park: seen(ledger.park),
    release: async (dlqIds, released) => {
      witness.released(dlqIds);
      return seen(ledger.release)(dlqIds, released);
    },
  };
}

/**
 * The shared lanes as one worker reaches them. A call that the client sends again counts once: its first
 * answer is kept for it, as Redis does for a minute.
 */
export function lanesOf(world: World, life: Life): LaneBook {
  const { laneBook: book, witness } = world;
  const once = <Answer>(operation: Operation, effect: () => Promise<Answer>): Promise<Answer> => {
    let first: Promise<Answer> | null = null;
    return call(world, life, { operation, effect: () => (first ??= effect()), failure: redisAway });
  };
  return {
    ...book,
    ask: (drain, config, asks) =>
      once("askLanes", async () => {
        const reply = await book.ask(drain, config, asks);
        for (const [index, { step, canaries }] of reply.answers.entries()) {
          const { lane } = asks[index] ?? {};
          if (lane !== undefined) witness.granted({ lane, step }, canaries);
        }
        return reply;
      }),
    sent: (sent) => once("sent", () => book.sent(sent)),
    giveBack: (unused) => once("giveBack", () => book.giveBack(unused)),
    recordComeBacks: (comeBacks) =>
      once("note", async () => {
        const changes = await book.recordComeBacks(comeBacks);
        witness.noted(changes);
        return changes;
      }),
    due: () =>
      once("due", async () => {
        const due = await book.due();
        witness.watched(due.watches);
        return due;
      }),
    checked: (step, checkedAt, comeBacks) =>
      once("checked", async () => {
        const change = await book.checked(step, checkedAt, comeBacks);
        witness.checked(step, checkedAt, comeBacks, change);
        return change;
      }),
  };
}

/** The shared audit as one worker reaches it; what cannot be written now is kept by the worker. */
export function auditOf(world: World, life: Life): Audit {
  return createAuditOver((entries) =>
    call(world, life, {
      operation: "append",
      effect: () => world.witness.audited(entries),
      failure: redisAway,
    }),
  );
}

export function archiveOf(world: World, life: Life): Archive {
  return {
    write: (entries) =>
      call(world, life, {
        operation: "write",
        effect: () => {
          world.witness.archived(entries.map(({ dlqId }) => dlqId));
          return { file: "kept" };
        },
        failure: () => new RedriverError("archive-unavailable", "not kept"),
      }),
    problem: () => null,
    close: () => Promise.resolve(),
  };
}

/** The service as one worker reaches it: `skewMs` is how far its clock is ahead. */
export function serviceOf(world: World, life: Life, skewMs: number): MessageService {
  const { service, turns, witness } = world;
  const { clock } = turns;
  const failure = (mishap: Mishap | null): RedriverError => {
    if (mishap?.kind !== "refused") return serviceError("service-unavailable");
    if (mishap.how === "unauthorised") return serviceError("unauthorised");
    return mishap.how === "limited"
      ? new RedriverError("rate-limited", "429", { retryAt: clock.now() + skewMs + 2_000 })
      : serviceError("service-unavailable");
  };

  const byWorkersClock = (outcome: BatchOutcome): BatchOutcome =>
    outcome.kind === "not-sent" && outcome.retryAt !== undefined
      ? { ...outcome, retryAt: outcome.retryAt + skewMs }
      : outcome;

  return {
    clockOffsetMs: () => -skewMs,

    async list(query) {
      const mishap = turns.mishap("list");
      const behindMs = mishap?.kind === "stale" ? mishap.ms : 0;
      return call(planned(world, mishap), life, {
        operation: "list",
        effect: () => service.list(query, behindMs),
        failure,
      });
    },

    async remove(dlqIds) {
      witness.deleteAsked(dlqIds);
      const mishap = turns.mishap("remove");
      const asked = mishap?.kind === "short" ? dlqIds.slice(1) : dlqIds;
      return call(planned(world, mishap), life, {
        operation: "remove",
        effect: () => service.remove(asked),
        failure,
      });
    },

    /**
     * The body's last byte is asked for and leaves in one step, as in src/job/service/batch-body-last-byte.ts; between them
     * nothing stops the worker, and the network holds what has left for no longer than its bound. That is
     * what promise 2 leaves over.
     */
    async publish(encodedItems, lastByteAllowed): Promise<BatchOutcome> {
      const mishap = turns.mishap("publish");
      const items = encodedItems.map((item) => readItem(textOfEncoded(item)));
      const label = `publish ${items.map(({ deduplicationId }) => deduplicationId).join(" ")}`;
      await life.turn(label);
      if (mishap?.kind === "fails") return { kind: "not-sent", why: "connect", error: "nobody there" };
      if (mishap?.kind === "dies" && mishap.when === "before") return life.die();
      if (mishap?.kind === "stalls" && mishap.when === "before") {
        await clock.sleep(mishap.ms);
        if (life.isDead()) return life.die();
      }
      if (!lastByteAllowed()) return { kind: "not-sent", why: "too-late", error: "withheld" };
      await witness.sent(items);
      if (mishap?.kind === "late") {
        turns.background(async () => {
          await clock.sleep(Math.min(mishap.ms, limits.networkDelayMs));
          service.post(items, null);
        });
        return { kind: "in-doubt", error: "reset" };
      }
      await turns.nextWithin(limits.networkDelayMs, `${label} arrives`);
      const outcome = byWorkersClock(service.post(items, mishap?.kind === "refused" ? mishap.how : null));
      if (mishap?.kind === "dies") return life.die();
      if (mishap?.kind === "stalls" && mishap.when === "after") await clock.sleep(mishap.ms);
      await life.turn(`${label} answered`);
      if (mishap?.kind === "answer-lost") return { kind: "in-doubt", error: "lost" };
      service.refusalTold(life.name, refusedIn(items, outcome));
      return outcome;
    },
  };
}

function refusedIn(items: readonly SentItem[], outcome: BatchOutcome): readonly SentItem[] {
  switch (outcome.kind) {
    case "answered":
      return items.filter((_item, index) => outcome.items[index]?.kind === "refused");
    case "refused":
    case "not-sent":
    case "misconfigured":
      return items;
    case "in-doubt":
      return [];
  }
}

/** For a call whose mishap was taken already. */
function planned(world: World, mishap: Mishap | null): World {
  return { ...world, turns: { ...world.turns, mishap: () => mishap } };
}

function serviceError(code: ErrorCode): RedriverError {
  return new RedriverError(code, code);
}
