import {
  shareEveryMs,
  type CallReport,
  type CallShare,
  type CallShares,
  type NamedLimit,
} from "../contracts/call-shares.ts";
import { sleptFully, type Clock } from "../contracts/clock.ts";
import type { EventOf, Events, RequestOutcome, ServiceOperation } from "../contracts/events.ts";
import type { SourceId } from "../contracts/ids.ts";
import { onAbort } from "../contracts/on-abort.ts";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { createMoments } from "./moments.ts";

export interface CallsInTurnParts {
  readonly source: SourceId;
  readonly shares: CallShares;
  /** Of all replicas together (service.maxCallsInFlight). */
  readonly maxInFlight: number;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly events: Events;
}

/** Fewer calls than this in a second need no room from the other replicas if they come one by one. */
const callsBeforeSharing = 4;
/** Each such turn is a list's, so that nothing waits for ever. */
const turnsPerList = 8;

/** A replica's part if Redis was never there. */
const partWithoutRedis = 4;

/** Answers what ends the turn; safe to call twice. A call that was stopped has none, and the client ends it. */
export type TakeTurn = (operation: ServiceOperation, signal?: AbortSignal) => Promise<() => void>;

/** Failures of these kinds may come from too many calls at once. The others are answers, or no calls. */
const failures: ReadonlySet<RequestOutcome> = new Set(["unavailable", "timeout", "unknown", "not-sent"]);
const nothing = { calls: 0, dlqCalls: 0, demand: 0 };
const each = <Value>(make: (operation: ServiceOperation) => Value) => ({
  list: make("list"),
  batch: make("batch"),
  delete: make("delete"),
});
const listsLast: readonly ServiceOperation[] = ["delete", "batch", "list"];
const listsFirst: readonly ServiceOperation[] = ["list", "delete", "batch"];

/**
 * Lets a call to a source go when there is room.
 *
 *   call ──► its operation's limit ──► this replica's part of all calls ──► list, delete: its moment ──► goes
 *
 * Deletes and batches go before lists: they release what is pending. A batch takes its turn before its begin in the
 * ledger, so nothing that is begun waits here. If nothing is in flight, only a rate limit makes a call wait. The
 * replicas exchange what they need and have learned once a second. Until the first exchange ends one call goes at a
 * time.
 */
export function createCallsInTurn({ source, shares, maxInFlight, clock, events }: CallsInTurnParts) {
  const limits = each(() => new AdaptiveLimit(maxInFlight));
  const waiting: Record<ServiceOperation, ((isTurn: boolean) => void)[]> = each(() => []);
  const inFlight = each(() => 0);
  const closing = new AbortController();
  const toOwn = (part: number): Pick<CallShare, "part" | "ofAll"> => ({ part, ofAll: part / maxInFlight });
  let own = toOwn(1);
  let lastOwn = toOwn(Math.min(partWithoutRedis, maxInFlight));
  let running = 0;
  let waiters = 0;
  let turns = 0;
  let isSharing = false;
  let used = { ...nothing, inFlight: each(() => 0), since: clock.monotonic() };
  /** The last limit that an answer has named since then, and when. */
  let named: (NamedLimit & { readonly at: number }) | null = null;
  let early = new AbortController();

  const moments = createMoments({
    shares,
    clock,
    ownShare: () => own.ofAll,
    waiting: () => waiting.list.length + waiting.delete.length,
    onTurn: () => admit(),
    signal: closing.signal,
  });
  const limitOf = (operation: ServiceOperation): number =>
    Math.max(1, Math.floor(limits[operation].limit * own.ofAll));

  const mayGo = (operation: ServiceOperation): boolean => {
    if (inFlight[operation] >= limitOf(operation)) {
      limits[operation].useUp();
      return false;
    }
    return running < own.part && (operation === "batch" || moments.hasCome());
  };

  const begin = (operation: ServiceOperation): void => {
    running += 1;
    turns += 1;
    inFlight[operation] += 1;
    used.inFlight[operation] = Math.max(used.inFlight[operation], inFlight[operation]);
    used.demand = Math.max(used.demand, running + waiters);
    used.calls += 1;
    if (operation !== "batch") {
      used.dlqCalls += 1;
      moments.use();
    }
    if (used.calls >= callsBeforeSharing) void share();
  };

  const next = (): ServiceOperation | undefined => {
    if (waiters === 0) return undefined;
    const order = turns % turnsPerList === 0 ? listsFirst : listsLast;
    return order.find((operation) => waiting[operation].length > 0 && mayGo(operation));
  };

  const admit = (): void => {
    for (let operation = next(); operation !== undefined; operation = next()) {
      begin(operation);
      waiting[operation][0]?.(true);
    }
    moments.provide();
  };

  /** False if the signal or the end of the process came first. */
  const wait = (operation: ServiceOperation, signal: AbortSignal | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve(false);
      const end = (isTurn: boolean): void => {
        leave();
        waiting[operation].splice(waiting[operation].indexOf(end), 1);
        waiters -= 1;
        resolve(isTurn);
      };
      const leave = onAbort(signal, () => end(false));
      waiting[operation].push(end);
      waiters += 1;
      used.demand = Math.max(used.demand, running + waiters);
      moments.provide();
      void share();
    });

  const take: TakeTurn = async (operation, signal) => {
    if (waiting[operation].length === 0 && mayGo(operation)) begin(operation);
    else if (closing.signal.aborted || !(await wait(operation, signal))) return () => undefined;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      inFlight[operation] -= 1;
      admit();
    };
  };

  const exchange = async (): Promise<void> => {
    const { calls, demand, dlqCalls, since, inFlight: peaks } = used;
    const now = clock.monotonic();
    const isIdle = calls + running + waiters === 0;
    used = { ...nothing, demand: running + waiters, inFlight: { ...inFlight }, since: now };
    const report: CallReport = {
      inFlight: running,
      demand: isIdle ? 0 : Math.min(maxInFlight, demand),
      dlqPerSecond: (dlqCalls * 1_000) / Math.max(shareEveryMs, now - since),
      limits: each((operation) => limits[operation].report(now)),
      named: named === null ? null : { ...named, resetInMs: named.resetInMs - (now - named.at) },
    };
    named = null;
    try {
      const share = await shares.exchange(report);
      lastOwn = share;
      own = isIdle ? toOwn(1) : share;
      for (const operation of ["list", "batch", "delete"] as const) {
        limits[operation].learn(share.limits[operation]);
      }
      // A limit that was named in the meantime is in the next report.
      if (named === null) moments.update(share.rate, share.isPaced);
    } catch {
      // Redis is away. This replica keeps its part.
      own = lastOwn;
    }
    const seen = { inFlight: peaks, limits: each(limitOf), dlqPerSecond: moments.perSecond() };
    events.emit({ type: "source:calls", source, ...seen });
    admit();
  };

  /** Exchanges once a second while calls are made, and once more for goodbye. */
  const share = async (): Promise<void> => {
    if (isSharing) return;
    isSharing = true;
    do {
      early = new AbortController();
      await exchange();
      await sleptFully(clock, shareEveryMs, early.signal);
      if (closing.signal.aborted) return;
    } while (used.calls + running + waiters > 0);
    await exchange();
    isSharing = false;
    if (waiters > 0) void share();
  };

  return {
    take,
    answered({ operation, outcome, durationMs }: Omit<EventOf<"service:answered">, "type" | "source">): void {
      if (outcome === "rate-limited" || outcome === "stopped") return;
      const now = clock.monotonic();
      if (failures.has(outcome)) limits[operation].failed(durationMs, now);
      else limits[operation].answered(durationMs, now);
    },
    limited(limit: NamedLimit): void {
      const wasUsedUp = named?.isUsedUp === true;
      named = { ...limit, isUsedUp: limit.isUsedUp || wasUsedUp, at: clock.monotonic() };
      if (!limit.isUsedUp || wasUsedUp) return;
      // The others are to know before the pause after a 429 ends.
      moments.update(limit, true);
      early.abort();
      void share();
    },
    close(): void {
      closing.abort();
      early.abort();
      for (const end of [...waiting.list, ...waiting.batch, ...waiting.delete]) end(false);
    },
  };
}
