import type { ParkReason } from "../../message/park-reasons.ts";
import type { MessageId } from "../../message/dead-letter.ts";
import { RedriverError } from "../../contracts/errors.ts";
import type { DrainName } from "../../contracts/ids.ts";
import type { LedgerView, Released } from "../../contracts/ledger-entries.ts";
import { postHorizonMs, takeoverAfterMs, type LedgerLimits } from "../../contracts/ledger-limits.ts";
import type { DeleteEnd } from "../../contracts/ledger.ts";

/** What the end of a DELETE means for each of its ids. */
export function deleteFlags(how: DeleteEnd): { readonly failed: boolean; readonly maybeGone: boolean } {
  return { failed: how !== "short", maybeGone: how !== "failed" };
}

/** The layout that prelude.lua.ts writes. */
const layout = 1;

/** The letters are explained in prelude.lua.ts. */
type StoredEntry = Readonly<
  { v: number; s: Exclude<LedgerView["state"], "absent" | "other-version"> } & Partial<
    Record<"x" | "f" | "p" | "r" | "n" | "un" | "ra" | "l" | "u" | "at" | "q", number> &
      Record<"o" | "sv" | "df" | "mg" | "da", 1> &
      Record<"m" | "as", MessageId> &
      Record<"file" | "cb" | "h" | "fk", string> & { d: DrainName; why: ParkReason; rel: 1 | 2 }
  >
>;

/** An entry as its readers see it. Fails with `invariant-broken` on an unknown state. */
export function parseView(text: string, now: number, limits: LedgerLimits, workerLostAt = 0): LedgerView {
  const stored = JSON.parse(text) as StoredEntry;
  if (stored.v !== layout) return { state: "other-version" };
  const { n: attempt = 0, f: firstAt = 0, m: messageId = null } = stored;
  const none = "" as never;
  const at = stored.at ?? 0;
  const deleteFailed = stored.df === 1;
  const maybeGone = stored.mg === 1;
  // As in prelude.lua.ts, for what a script decides.
  const isAtWork = (since: number): boolean =>
    now <= since + takeoverAfterMs(limits) && since >= workerLostAt;
  const isLeftToWorker = stored.q !== undefined && stored.cb === undefined && !deleteFailed && !maybeGone;
  const settling = {
    at,
    deleteFailed,
    maybeGone,
    isBeingDeleted: isLeftToWorker && isAtWork(at),
    datesAgree: stored.da === 1,
    messageId,
  };
  const named = stored.cb === undefined ? {} : { cameBack: true as const };
  switch (stored.s) {
    case "cool": {
      const { u: dueAt = 0, ra: refusedAlone = 0 } = stored;
      const suffix = nextSuffix(stored);
      return { state: "cool", dueAt, refusedAlone, attempt, released: toReleased(stored.rel), suffix };
    }
    case "open": {
      const { x: suffix = 1, p: posts = 0, r: refusals = 0, un: doubts = 0, l: lastAt = 0 } = stored;
      return {
        state: "open",
        drain: stored.d ?? none,
        ...(stored.sv === 1 ? { via: "service" as const } : {}),
        series: { suffix, firstAt, posts, refusals, doubts },
        lastAt,
        attempt,
        released: toReleased(stored.rel),
        messageId: messageId ?? none,
        unknown: !isAtWork(lastAt),
        pastHorizon: stored.sv !== 1 && now > firstAt + postHorizonMs(limits),
        ...(stored.o === undefined ? {} : { isDiscarded: true }),
      };
    }
    case "published":
      return { state: "published", as: stored.as ?? none, drain: stored.d ?? null, ...settling, ...named };
    case "archived":
      return { state: "archived", file: stored.file ?? none, drain: stored.d ?? none, ...settling };
    case "gone":
      return { state: "gone", at, ...named, ...(stored.as === undefined ? { wasArchived: true } : {}) };
    case "parked": {
      const { why: reason = none, d: drain = none, h: rulesHash = none, fk: failure } = stored;
      return {
        state: "parked",
        reason,
        drain,
        rulesHash,
        attempt,
        suffix: nextSuffix(stored),
        ...(failure === undefined ? {} : { failure }),
      };
    }
    default:
      throw new RedriverError("invariant-broken", `expected a ledger state, got ${String(stored.s)}`);
  }
}

/** As begin.lua.ts takes it. */
function nextSuffix({ x: suffix = 1, p: posts = 0, r: refusals = 0 }: StoredEntry): number {
  return refusals > 0 && posts <= refusals ? suffix + 1 : suffix;
}

function toReleased(stored: StoredEntry["rel"]): Released {
  if (stored === undefined) return false;
  return stored === 1 ? "by-person" : "listed-again";
}
