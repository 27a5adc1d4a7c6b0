import type { Clock } from "../contracts/clock.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { DrainName, SourceId } from "../contracts/ids.ts";
import type {
  LaneBook,
  LaneChange,
  LaneComeBack,
  LaneReady,
  LaneSent,
  LaneUnused,
  LaneWatch,
  StepRef,
} from "../contracts/lanes.ts";
import type { PassBook } from "../contracts/passes.ts";
import type { Audit, AuditAct } from "../contracts/audit.ts";

/** By then it is over by Redis's clock too. */
const afterWatchMs = 250;

export type Lanes = ReturnType<typeof createLanes>;

export interface LanesParts {
  readonly source: SourceId;
  readonly book: LaneBook;
  readonly clock: Pick<Clock, "now">;
  readonly events: Events;
  readonly passes: Pick<PassBook, "forceFull" | "listAgain">;
  readonly audit: Pick<Audit, "record">;
  readonly by: string;
}

/** They report changes, and collect the drains to wake. What is lost without Redis makes a lane more careful. */
export function createLanes({ source, book, clock, events, passes, audit, by }: LanesParts) {
  const ready = new Set<DrainName>();
  let nextCheckAt: number | null = null;
  let nextProbeAt: number | null = null;
  let reportedProbeAt = 0;

  /** Recalled first: the drain's next pass has them in its windows. If that fails, a full pass finds them. */
  const wake = async ({ drain, resumeMinutes, wantsFull }: LaneReady): Promise<void> => {
    if (wantsFull === true) await passes.forceFull(drain).catch(() => undefined);
    if (resumeMinutes.length > 0) await passes.listAgain(drain, resumeMinutes).catch(() => undefined);
    ready.add(drain);
  };

  /** Each page with messages held by it reports it again. */
  const recordProbe = (at: number): void => {
    if (Math.abs(at - reportedProbeAt) <= 1_000) return;
    nextProbeAt = Math.min(nextProbeAt ?? at, at);
  };

  const report = async (change: LaneChange): Promise<void> => {
    if (change.kind === "none") return;
    const { kind: _kind, lane: _lane, resumeMinutes, wantsFull, ...moved } = change;
    // Before the event: an opening that is reported and not followed would wait for the next full pass.
    if (wantsFull) await passes.forceFull(change.drain).catch(() => undefined);
    if (change.to !== "halted") await wake({ drain: change.drain, resumeMinutes });
    events.emit({ type: "lane:moved", source, ...moved });
    // The log alone has the steps between. An outage of Redis only delays the entry: the move has happened.
    const act = actOf(change);
    const { drain, origin, from, to, why, sent, comeBacks } = change;
    const lane = { origin, from, to, why, sent, comeBacks };
    if (act !== null) await audit.record([{ act, by, source, drain, lane, records: [] }]);
  };

  return {
    ...book,
    ask: async (...query: Parameters<LaneBook["ask"]>): ReturnType<LaneBook["ask"]> => {
      const reply = await book.ask(...query);
      for (const { state, until } of reply.answers) {
        if (state !== "halted" || until === null || until <= reply.at) continue;
        recordProbe(clock.now() + until - reply.at + afterWatchMs);
      }
      return reply;
    },
    /** `watchMs`: of the lane's drain; a listing check is due when it is over. */
    async sent(sent: readonly LaneSent[], watchMs: number): Promise<void> {
      if (sent.length === 0) return;
      const at = clock.now() + watchMs + afterWatchMs;
      nextCheckAt = Math.min(nextCheckAt ?? at, at);
      await unlessRedisAway(() => book.sent(sent), undefined);
    },
    async giveBack(unused: readonly LaneUnused[]): Promise<void> {
      if (unused.length > 0) await unlessRedisAway(() => book.giveBack(unused), undefined);
    },
    async recordComeBacks(comeBacks: readonly LaneComeBack[]): Promise<void> {
      if (comeBacks.length === 0) return;
      for (const change of await unlessRedisAway(() => book.recordComeBacks(comeBacks), []))
        await report(change);
    },
    async delivered({ lane, step }: StepRef, parentDlqId: string): Promise<void> {
      const change = await unlessRedisAway(() => book.delivered({ lane, step }, parentDlqId), undefined);
      if (change !== undefined) await report(change);
    },
    /** Steps that need a listing check, and Redis time. `takeReady` then has drains that can go on. */
    async due(): Promise<{ readonly watches: readonly LaneWatch[]; readonly at: number }> {
      const due = await book.due();
      for (const one of due.ready) await wake(one);
      return due;
    },
    checked: async (...what: Parameters<LaneBook["checked"]>): Promise<void> =>
      report(await book.checked(...what)),
    /** Drains with a lane that can go on, since the last call. */
    takeReady(): readonly DrainName[] {
      const taken = [...ready];
      ready.clear();
      return taken;
    },
    /** Unix ms by our clock, since the last call: the first end of a watch of its canaries, and the first probe. */
    takeNext(): readonly number[] {
      const next = [nextCheckAt, nextProbeAt].filter((at) => at !== null);
      reportedProbeAt = nextProbeAt ?? reportedProbeAt;
      nextCheckAt = null;
      nextProbeAt = null;
      return next;
    },
  };
}

function actOf({ from, to }: Extract<LaneChange, { kind: "moved" }>): AuditAct | null {
  if (to === "halted") return "lane-halted";
  if (to === "open") return "lane-opened";
  return from === "halted" ? "lane-resumed" : null;
}
