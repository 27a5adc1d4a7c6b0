import { expect } from "vitest";
import type { DlqId, MessageId } from "../../src/job/message/dead-letter.ts";
import type { Token } from "../../src/job/contracts/ids.ts";
import { coolBeyondWindowMs } from "../../src/job/contracts/ledger-limits.ts";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import type { BeginVerdict, PublishedVerdict } from "../../src/job/contracts/ledger.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import { createLedgerBeforeBatches } from "./ledger-before-batches/index.ts";
import {
  defaultLimits,
  dlqId,
  drain,
  horizonMs,
  messageId,
  ofTwoProcesses,
  redisStand,
  request,
  takeoverMs,
  token,
} from "./ledger-stands.ts";

/**
 * Today's ledger and the one before batches work on one Redis, in any order, over lives that end. What either
 * of them knows is not absent before its life is over, and neither begins what may double.
 */
export const limits = {
  ...defaultLimits,
  retentionMs: 1_800_000,
  tombstoneMs: 720_000,
  settleGateAgeMs: Number.MAX_SAFE_INTEGER,
};
/** The first series is known for the former, a later one for the latter. */
const coolMs = Math.min(limits.dedupWindowMs + coolBeyondWindowMs, limits.retentionMs);
export const ids = [1, 2, 3, 4].map(dlqId);

interface Known {
  state: "absent" | "open" | "cool" | "published" | "gone";
  /** It must be known until then. */
  until: number;
  by: Token | null;
  firstAt: number;
  lastAt: number;
  as: MessageId | null;
}

interface Both {
  readonly kind: "begin" | "published" | "gone" | "look";
  readonly asked: readonly DlqId[];
  readonly old: boolean;
}
interface Today {
  readonly kind: "refused" | "deleteFailed";
  readonly asked: readonly DlqId[];
}
export type Act =
  | Both
  | Today
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "summary"; readonly old: boolean };

const absent = (): Known => ({ state: "absent", until: 0, by: null, firstAt: 0, lastAt: 0, as: null });

/** Makes the calls one after another, and holds each answer against what was answered before. */
export async function playOnTwoBuilds(connection: RedisConnection, acts: readonly Act[]): Promise<void> {
  const stand = await redisStand(connection, limits);
  const startedAt = Date.now();
  const ledger = ofTwoProcesses(stand.ledger, stand.createLedger());
  const before = createLedgerBeforeBatches(stand.redis, limits);
  const known = new Map(ids.map((id) => [id, absent()]));
  const of = (id: DlqId): Known => known.get(id) ?? absent();
  let minted = 0;
  /** Lives go on while the test runs, and the clock in its hand does not. */
  const mustBeKnown = (one: Known): boolean => stand.now() + (Date.now() - startedAt) + 1_000 < one.until;
  const set = (id: DlqId, changes: Partial<Known>, life: number): void => {
    known.set(id, { ...of(id), ...changes, until: stand.now() + life });
  };

  const checkView = (id: DlqId, view: LedgerView | undefined, isOld: boolean): void => {
    const one = of(id);
    if (isOld && view?.state === "other-version") return;
    if (view?.state === "absent") {
      expect(mustBeKnown(one), `${id} is ${one.state}`).toBe(false);
      known.set(id, absent());
      return;
    }
    expect(view?.state).toBe(one.state);
    if (view?.state === "published") expect(view.as).toBe(one.as);
    if (view?.state === "open") expect(view.series.firstAt).toBe(one.firstAt);
    const life = one.state === "gone" ? limits.tombstoneMs : limits.retentionMs;
    if (one.state !== "cool") set(id, {}, life);
  };

  const checkBegun = (id: DlqId, verdict: BeginVerdict | undefined, by: Token): void => {
    const one = of(id);
    const now = stand.now();
    if (verdict?.kind !== "begun") return;
    const { firstAt } = verdict.series;
    if (firstAt === now) {
      // A new series: nothing is known of it, or what was begun before was refused for certain.
      expect(mustBeKnown(one) && one.state !== "cool", `${id} is ${one.state}`).toBe(false);
      if (one.state === "cool" && mustBeKnown(one)) expect(verdict.series.suffix).toBeGreaterThan(1);
    } else {
      expect(one.state).toBe("open");
      expect(firstAt).toBe(one.firstAt);
      expect(now).toBeGreaterThan(one.lastAt + takeoverMs);
      expect(now).toBeLessThanOrEqual(firstAt + horizonMs);
    }
    set(id, { state: "open", by, firstAt, lastAt: now }, limits.retentionMs);
  };

  const checkPublished = (
    id: DlqId,
    verdict: PublishedVerdict | undefined,
    as: MessageId,
    isOld: boolean,
  ): void => {
    const one = of(id);
    if (verdict?.kind === "other-version") {
      expect(isOld).toBe(true);
    } else if (verdict?.kind === "recorded") {
      if (mustBeKnown(one)) {
        expect(one.state).not.toBe("gone");
        if (one.state === "published") expect(one.as).toBe(as);
      }
      if (one.state !== "published" || one.as !== as) set(id, { state: "published", as }, limits.retentionMs);
    } else {
      expect(verdict).toMatchObject({ as: one.as });
      expect(one.state).toBe(verdict?.kind === "gone" ? "gone" : "published");
    }
  };

  const actions = {
    async begin({ asked: some, old: isOld }: Both) {
      const by = token(`t${(minted += 1)}`);
      const pageReadAt = stand.now();
      const options = { token: by, drain, act: "republish", pageReadAt, pastHorizon: "leave" } as const;
      const requests = some.map((id) => request(id));
      const answer = await (isOld ? before.begin(some, by, pageReadAt) : ledger.begin(requests, options));
      if (answer.kind !== "answered") throw new Error(`expected verdicts, got ${answer.kind}`);
      for (const [index, id] of some.entries()) checkBegun(id, answer.verdicts[index], by);
    },
    async published({ asked: some, old: isOld }: Both) {
      const as = messageId(`m${minted % 3}`);
      const facts = some.map((id) => ({
        dlqId: id,
        as,
        attempt: 1,
        deletePending: true,
        drain,
        messageId: null,
      }));
      const { verdicts } = await (isOld ? before.published(some, as) : ledger.published(facts));
      for (const [index, id] of some.entries()) checkPublished(id, verdicts[index], as, isOld);
    },
    async gone({ asked: some, old: isOld }: Both) {
      await (isOld ? before.gone(some) : ledger.gone(some));
      const { views } = await ledger.peek(some);
      for (const [index, id] of some.entries()) {
        const isGone = views[index]?.state === "gone";
        if (!isOld && mustBeKnown(of(id)) && of(id).state === "published") expect(isGone).toBe(true);
        if (!isGone || of(id).state === "gone") continue;
        expect(of(id).state).toBe("published");
        set(id, { state: "gone" }, limits.tombstoneMs);
      }
    },
    async look({ asked: some, old: isOld }: Both) {
      const { views } = await (isOld ? before.look(some) : ledger.look(some));
      for (const [index, id] of some.entries()) checkView(id, views[index], isOld);
    },
    async refused({ asked: [id] }: Today) {
      if (id === undefined) return;
      const { by } = of(id);
      const { verdicts } = await ledger.refused(
        [{ dlqId: id, outcome: "refused", coolMs: 0 }],
        by ?? token("nobody"),
      );
      if (verdicts[0]?.kind !== "cool") return;
      expect(of(id).state === "open" || of(id).state === "cool").toBe(true);
      if (of(id).state === "open") set(id, { state: "cool" }, coolMs);
    },
    async deleteFailed({ asked: [id] }: Today) {
      if (id !== undefined) await ledger.deleteFailed([id]);
    },
  };
  for (const act of acts) {
    if (act.kind === "advance") await stand.advance(act.ms);
    else if (act.kind === "summary") await (act.old ? before : ledger).summary();
    else if ("old" in act) await actions[act.kind](act);
    else await actions[act.kind](act);
  }
  await actions.look({ kind: "look", asked: ids, old: false });
}
