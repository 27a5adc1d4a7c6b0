import type { DlqId } from "../../../src/job/message/dead-letter.ts";
import type { Clock } from "../../../src/job/contracts/clock.ts";
import type { DrainName, Token } from "../../../src/job/contracts/ids.ts";
import { isDecidedAgain } from "../../../src/job/contracts/ledger-entries.ts";
import { takeoverAfterMs, refusedAloneEveryMs } from "../../../src/job/contracts/ledger-limits.ts";
import type { Released } from "../../../src/job/contracts/ledger-entries.ts";
import type { LedgerLimits } from "../../../src/job/contracts/ledger-limits.ts";
import type {
  BeginAnswer,
  Ledger,
  LedgerStamp,
  ParkOptions,
  ParkRequest,
  ParkVerdict,
  PublishedFact,
  PublishedVerdict,
  RefusedRequest,
  RefusedVerdict,
} from "../../../src/job/contracts/ledger.ts";
import { deleteFlags } from "../../../src/job/store/ledger/entry.ts";
import { isAtWork, toOpenView, toParkedView, toSettlingView, toView } from "./memory-entry.ts";
import type { Entry, OpenEntryState } from "./memory-entry.ts";
import { asksAgain, beginOne, countOutcome } from "./memory-begin.ts";
import { createMemoryEntries } from "./memory-entries.ts";

/**
 * The ledger of one source in this process: the reference that the Redis one is held against, and what plan
 * and tests run on. Nothing survives the process. Indexes are not kept but derived, so they cannot disagree.
 */
export function createMemoryLedger(
  clock: Pick<Clock, "now">,
  limits: LedgerLimits,
  options: { readonly epoch?: string; readonly isPaused?: (drain: DrainName) => boolean } = {},
): Ledger {
  const entries = createMemoryEntries(clock, limits);
  const epoch = options.epoch ?? "memory";
  let sequence = 0;
  let lastAcceptedAt: number | null = null;
  let refusedAloneInARow = 0;

  let lost: LedgerStamp["lost"];
  let seriesEndedAt: number | undefined;
  const noteEnd = ({ series }: OpenEntryState): void => {
    if (series.refusals > 0 && series.posts <= series.refusals) seriesEndedAt = clock.now();
  };
  const stamp = (): LedgerStamp => ({
    epoch,
    sequence,
    at: clock.now(),
    ...(lost === undefined ? {} : { lost }),
    ...(seriesEndedAt === undefined ? {} : { seriesEndedAt }),
  });
  const put = (dlqId: DlqId, entry: Entry): void => entries.put(dlqId, entry);
  const writing = <Answer extends object>(work: () => Answer): Promise<LedgerStamp & Answer> => {
    const before = entries.writes();
    const answer = work();
    if (entries.writes() !== before) sequence += 1;
    return Promise.resolve({ ...stamp(), ...answer });
  };
  const isSettleGateClosed = (): boolean => {
    const oldest = entries.pending()[0];
    const failed = entries.pending().filter(({ entry }) => entry.deleteFailed).length;
    if (failed > limits.settleGateFailedDeletes) return true;
    return oldest !== undefined && clock.now() - oldest.since > limits.settleGateAgeMs;
  };

  const noteAcceptance = (): void => {
    lastAcceptedAt = clock.now();
    refusedAloneInARow = 0;
  };

  const recordPublished = (fact: PublishedFact): PublishedVerdict => {
    const entry = entries.get(fact.dlqId);
    const now = clock.now();
    if (entry?.state === "gone" || entry?.state === "published") {
      const namedBy = entry.namedBy ?? fact.namedBy ?? null;
      if (namedBy !== entry.namedBy) put(fact.dlqId, { ...entry, namedBy });
      const first =
        fact.namedBy !== undefined && namedBy === fact.namedBy ? { firstNaming: true as const } : {};
      if (entry.state === "gone") {
        return { kind: "gone", ...(entry.as === null ? {} : { as: entry.as }), ...first };
      }
      if (fact.deletePending && entry.pendingSince === null) {
        put(fact.dlqId, { ...entry, namedBy, pendingSince: now });
      }
      return entry.as === fact.as
        ? { kind: "recorded", ...first }
        : { kind: "already", as: entry.as, ...first };
    }
    const archived = entry?.state === "archived" ? entry : null;
    if (fact.deletePending) noteAcceptance();
    put(fact.dlqId, {
      state: "published",
      as: fact.as,
      at: now,
      drain: fact.drain ?? (entry !== null && "drain" in entry ? entry.drain : null),
      messageId: fact.messageId ?? (entry !== null && "messageId" in entry ? entry.messageId : null),
      // Evidence settles what was in doubt: it may be listed still.
      pendingSince: archived?.pendingSince ?? (fact.deletePending || entry?.state === "open" ? now : null),
      namedBy: fact.namedBy ?? null,
      deleteFailed: archived?.deleteFailed ?? false,
      maybeGone: archived?.maybeGone ?? false,
      datesAgree: fact.datesAgree === true,
      listedAt: archived?.listedAt ?? 0,
    });
    return { kind: "recorded", ...(fact.namedBy === undefined ? {} : { firstNaming: true as const }) };
  };

  const countAlone = (entry: OpenEntryState): OpenEntryState => {
    const now = clock.now();
    refusedAloneInARow += 1;
    const { refusedAlone, refusedAloneAt } = entry;
    if (refusedAloneAt !== null && now - refusedAloneAt < refusedAloneEveryMs) return entry;
    return { ...entry, refusedAlone: refusedAlone + 1, refusedAloneAt: now };
  };

  const refuse = (request: RefusedRequest, token: Token): RefusedVerdict => {
    const entry = entries.get(request.dlqId);
    if (entry?.state === "cool" && entry.endedBy === token)
      return { kind: "cool", refusedAlone: entry.refusedAlone };
    if (entry?.state !== "open" || entry.token !== token) return { kind: "not-yours" };
    const isAlone = !entry.ended && request.outcome === "refused-alone";
    if (!entry.ended && request.outcome === "hit-after-refusals") noteAcceptance();
    const counted = countOutcome(isAlone ? countAlone(entry) : entry, request.outcome);
    if (!entry.ended && entry.act === "republish") noteEnd(counted);
    const { series, attempt, messageId, refusedAlone, refusedAloneAt, released } = counted;
    if (series.posts > series.refusals) {
      if (!entry.ended) put(request.dlqId, counted);
      return { kind: "stays-open" };
    }
    put(request.dlqId, {
      state: "cool",
      series,
      attempt,
      messageId,
      refusedAlone,
      refusedAloneAt,
      released,
      declaredDouble: counted.declaredDouble,
      dueAt: clock.now() + request.coolMs,
      endedBy: token,
    });
    return { kind: "cool", refusedAlone };
  };

  const park = (request: ParkRequest, by: ParkOptions): ParkVerdict => {
    const entry = entries.get(request.dlqId);
    const now = clock.now();
    if (
      entry !== null &&
      (entry.state === "published" || entry.state === "archived" || entry.state === "gone")
    )
      return { kind: "done-before" };
    const isHeld = entry?.state === "open" && entry.token !== by.token;
    if (isHeld && isAtWork(entry.lastAt, now, limits, by.workerLostAt)) return { kind: "not-yours" };
    const isGranted = entry?.state === "cool" && entry.released === "by-person";
    if (isGranted && by.seenAt !== undefined && entry.dueAt >= by.seenAt) return { kind: "not-yours" };
    if (entry?.state === "parked" && isDecidedAgain(request.reason) && !isDecidedAgain(entry.reason)) {
      put(request.dlqId, entry);
      return { kind: "parked" };
    }
    put(request.dlqId, {
      state: "parked",
      reason: request.reason,
      drain: by.drain,
      rulesHash: by.rulesHash,
      attempt: request.attempt,
      failure: request.failure ?? (entry?.state === "parked" ? entry.failure : undefined),
      series: entry?.series ?? { suffix: 1, firstAt: now, posts: 0, refusals: 0, doubts: 0 },
      messageId: entry?.messageId ?? null,
      declaredDouble: entry?.declaredDouble ?? false,
    });
    return { kind: "parked" };
  };

  const release = (dlqId: DlqId, released: Exclude<Released, false>): boolean => {
    const entry = entries.get(dlqId);
    if (entry?.state === "cool") return entry.released !== false;
    if (entry?.state !== "parked") return false;
    const { series, attempt, messageId, declaredDouble } = entry;
    put(dlqId, {
      state: "cool",
      series,
      attempt: Math.max(0, attempt - 1),
      messageId,
      declaredDouble,
      dueAt: clock.now(),
      endedBy: null,
      refusedAlone: 0,
      refusedAloneAt: null,
      released,
    });
    return true;
  };

  /** True when it is a tombstone afterwards. `unlistedSince`: only what is older and was not listed since. */
  let buried = 0;
  const bury = (dlqId: DlqId): boolean => {
    const entry = entries.get(dlqId);
    if (entry?.state === "gone") return true;
    if (entry?.state !== "published" && entry?.state !== "archived") return false;
    const { as, namedBy } = entry.state === "published" ? entry : { as: null, namedBy: null };
    put(dlqId, { state: "gone", at: clock.now(), as, namedBy });
    buried += 1;
    return true;
  };

  return {
    limits,
    now: () => Promise.resolve(stamp()),

    recordLoss: (oldestAt) => {
      const now = clock.now();
      const follows = lost !== undefined && now - lost.at <= limits.dedupWindowMs;
      const before = follows && lost !== undefined ? lost.since : now;
      lost = { at: now, since: Math.min(now - limits.settleGateAgeMs, oldestAt ?? now, before) };
      return Promise.resolve(stamp());
    },

    look: (dlqIds, workerLostAt) => {
      const views = dlqIds.map((dlqId) => toView(entries.listed(dlqId), clock.now(), limits, workerLostAt));
      return Promise.resolve({ ...stamp(), views });
    },

    peek: (dlqIds) => {
      const views = dlqIds.map((dlqId) => toView(entries.get(dlqId), clock.now(), limits));
      return Promise.resolve({ ...stamp(), views });
    },

    begin: (requests, options_) => writing(() => beginAll(requests, options_)) as Promise<BeginAnswer>,

    published: (facts) =>
      writing(() => {
        const verdicts = facts.map(recordPublished);
        return { verdicts, lastAcceptedAt, refusedAloneInARow };
      }),

    refused: (requests, token) =>
      writing(() => {
        const verdicts = requests.map((request) => refuse(request, token));
        return { verdicts, lastAcceptedAt, refusedAloneInARow };
      }),

    archived: (dlqIds, file, token) =>
      writing(() => ({
        verdicts: dlqIds.map((dlqId) => {
          const entry = entries.get(dlqId);
          if (entry?.state === "archived" && entry.token === token) return "recorded" as const;
          if (entry?.state !== "open" || entry.act !== "drop" || entry.token !== token)
            return "not-yours" as const;
          const at = clock.now();
          const { drain, messageId } = entry;
          const undeleted = { pendingSince: at, deleteFailed: false, maybeGone: false, datesAgree: false };
          put(dlqId, { state: "archived", file, token, at, drain, messageId, listedAt: 0, ...undeleted });
          return "recorded" as const;
        }),
      })),

    gone: (dlqIds) => writing(() => ({ count: dlqIds.filter(bury).length })),

    deleteFailed: (dlqIds, how = "failed") =>
      writing(() => {
        const flags = deleteFlags(how);
        for (const dlqId of dlqIds) {
          const entry = entries.get(dlqId);
          if (entry?.state !== "published" && entry?.state !== "archived") continue;
          const deleteFailed = flags.failed || entry.deleteFailed;
          const { maybeGone } = flags;
          const isNew = deleteFailed !== entry.deleteFailed || maybeGone !== entry.maybeGone;
          if (!isNew && entry.pendingSince !== null) continue;
          put(dlqId, {
            ...entry,
            deleteFailed,
            maybeGone,
            pendingSince: entry.pendingSince ?? clock.now(),
          });
        }
        return {};
      }),

    markUnlistedGone: (drain, passStartedAt) =>
      writing(() => {
        const unlisted = entries
          .pending()
          .filter(
            ({ entry }) =>
              entry.drain === drain && entry.at < passStartedAt && entry.listedAt < passStartedAt,
          );
        return { count: unlisted.filter(({ dlqId }) => bury(dlqId)).length };
      }),

    park: (requests, by) => writing(() => ({ verdicts: requests.map((request) => park(request, by)) })),

    release: (dlqIds, released = "by-person") =>
      writing(() => ({ count: dlqIds.filter((dlqId) => release(dlqId, released)).length })),

    parked: (after, limit) => {
      const all = entries.parked().map(({ entry, ...place }) => ({ ...place, view: toParkedView(entry) }));
      const at = all.findIndex(
        ({ dlqId, keptUntil }) => dlqId === after?.dlqId && keptUntil === after.keptUntil,
      );
      const begin = at >= 0 ? at + 1 : all.findIndex(({ keptUntil }) => keptUntil >= (after?.keptUntil ?? 0));
      const page = begin < 0 ? [] : all.slice(begin, begin + limit);
      const next = page.length < limit ? null : (page.at(-1) ?? null);
      return Promise.resolve({ ...stamp(), entries: page, total: all.length, next });
    },

    unknownOutcomes: (limit, offset) => {
      const now = clock.now();
      const unknown = entries.open().filter(({ entry }) => now > entry.lastAt + takeoverAfterMs(limits));
      const found = unknown
        .slice(offset, offset + limit)
        .map(({ dlqId, entry }) => ({ dlqId, view: toOpenView(entry, now, limits) }));
      return Promise.resolve({ ...stamp(), entries: found });
    },

    pendingDeletes: (limit, offset) => {
      const found = entries.pending().slice(offset, offset + limit);
      return Promise.resolve({
        ...stamp(),
        entries: found.map(({ dlqId, entry }) => ({
          dlqId,
          view: toSettlingView(entry, clock.now(), limits),
        })),
      });
    },

    summary: () => {
      const now = clock.now();
      const open = entries.open();
      const pending = entries.pending();
      return Promise.resolve({
        ...stamp(),
        open: open.length,
        unknown: open.filter(({ entry }) => now > entry.lastAt + takeoverAfterMs(limits)).length,
        oldestOpenAt: open[0]?.entry.lastAt ?? null,
        pendingDelete: pending.length,
        oldestPendingAt: pending[0]?.since ?? null,
        gone: buried,
        failedDeletes: pending.filter(({ entry }) => entry.deleteFailed).length,
        settleGate: isSettleGateClosed() ? "closed" : "open",
      });
    },
  };

  function beginAll(...[requests, asked]: Parameters<Ledger["begin"]>) {
    const now = clock.now();
    const holdsSome = requests.some(({ dlqId }) => {
      const entry = entries.get(dlqId);
      return entry?.state === "open" && entry.token === asked.token;
    });
    const isFirst = asked.previous === undefined;
    const refusal = isFirst ? pageRefusal(now, asked.pageReadAt, asked.drain) : null;
    const asksSome = requests.some(({ dlqId }) => asksAgain(entries.get(dlqId), { ...asked, now, limits }));
    const mayAsk = isFirst && (refusal === null || (refusal === "settle-gate" && asksSome));
    if (refusal !== null && !holdsSome && !mayAsk) return { kind: refusal };
    const mayBegin = isFirst && refusal === null;
    const verdicts = requests.map((request) => {
      const context = { ...asked, mayBegin, mayAsk, now, limits, onCounted: noteEnd };
      const step = beginOne(entries.get(request.dlqId), request, context);
      if (step.entry !== null) put(request.dlqId, step.entry);
      return step.verdict;
    });
    return { kind: "answered" as const, verdicts };
  }

  function pageRefusal(now: number, pageReadAt: number, drain: DrainName) {
    if (now - pageReadAt > limits.maxPageAgeMs || pageReadAt > now) return "page-too-old" as const;
    if (options.isPaused?.(drain) === true) return "paused" as const;
    return isSettleGateClosed() ? ("settle-gate" as const) : null;
  }
}
