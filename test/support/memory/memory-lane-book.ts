import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../src/ports/clock.ts";
import type {
  LaneAnswer,
  LaneBook,
  LaneChange,
  LaneComeBack,
  LaneTotals,
  LaneWatch,
} from "../../../src/ports/lanes.ts";
import type { DrainName } from "../../../src/ports/ids.ts";
import { checkEveryMs, maxDue, maxStep, rememberedRoots } from "../../../src/store/lanes/lane-numbers.ts";
import { inOrder } from "../../../src/store/lanes/lane-order.ts";
import { grant, readyAt, wantsLookAt } from "./memory-lane-grants.ts";
import { settle, type Moved } from "./memory-lane-judge.ts";
import { remember, takeResumeMinutes } from "./memory-lane-places.ts";
import { countLanes, inStateOrder, toView } from "./memory-lane-views.ts";
import { atNow, dropEmptyPrevious, newLane, stepsOf, type Lane, type Step } from "./memory-lane.ts";

const unknownLane: LaneAnswer = {
  state: "canary",
  canaries: 0,
  plain: 0,
  step: 0,
  avoid: [],
  mayRepeat: true,
  until: null,
  isSuspect: false,
};

/** The lanes of one process: the reference that the Redis ones are held against. `grantLifeMs`: as there. */
export function createMemoryLaneBook(clock: Pick<Clock, "now">, grantLifeMs: number): LaneBook {
  const lanes = new Map<string, Lane>();
  /** How many messages a lane was asked for. */
  const records = new Map<string, number>();
  let totals: LaneTotals = { canaries: 0, comeBacks: 0, halts: 0 };
  /** As it stands now; what becomes of it is kept by `put`. */
  const read = (id: string): Lane | null => {
    const kept = lanes.get(id);
    return kept === undefined ? null : atNow(kept, clock.now(), grantLifeMs);
  };
  const put = (lane: Lane): void => {
    const now = clock.now();
    const kept = lanes.get(lane.id);
    const before = read(lane.id);
    const isSame = kept !== undefined && kept.at - now <= 1_000 && isDeepStrictEqual(lane, before);
    totals = {
      canaries: totals.canaries + lane.canaries - (before?.canaries ?? 0),
      comeBacks: totals.comeBacks + lane.comeBacks - (before?.comeBacks ?? 0),
      halts: totals.halts + lane.halts - (before?.halts ?? 0),
    };
    // When it was written says by how much a clock was set back.
    if (!isSame) lanes.set(lane.id, { ...lane, at: now });
  };
  const recordsOf = ({ id }: Lane): number => records.get(id) ?? 0;
  /** The last used first, as it was written: a clock that is set back moves no index. */
  const remembered = (): readonly Lane[] =>
    [...lanes.values()]
      .toSorted((a, b) => b.usedAt - a.usedAt || (a.id < b.id ? 1 : -1))
      .map(({ id }) => read(id))
      .filter((lane) => lane !== null);
  /** Changes one lane, if it is known. */
  const change = <Result>(id: string, act: (lane: Lane, now: number) => Result): Result | null => {
    const lane = read(id);
    if (lane === null) return null;
    const result = act(lane, clock.now());
    put(lane);
    return result;
  };

  return {
    ask(drain, given, asks) {
      const now = clock.now();
      const config = { ...given, openFrom: Math.min(given.openFrom, maxStep) };
      const answers = asks.map((ask): LaneAnswer => {
        const known = read(ask.lane);
        if (ask.wanted === 0) return known === null ? unknownLane : grant(known, ask, now);
        records.set(ask.lane, (known === null ? 0 : (records.get(ask.lane) ?? 0)) + ask.wanted);
        const lane = known ?? newLane(ask.lane, drain, ask.origin, config, now);
        lane.config = config;
        const answer = grant(lane, ask, now);
        put(lane);
        return answer;
      });
      return Promise.resolve({ answers, at: now });
    },

    sent(sent) {
      for (const { lane: id, step, roots } of sent) {
        change(id, (lane, now) => {
          lane.usedAt = now;
          lane.canaries += roots.length;
          lane.roots = [...lane.roots.filter((root) => !roots.includes(root)), ...roots].slice(
            -rememberedRoots,
          );
          const found = stepOf(lane, step);
          if (found !== null) noteSent(lane, found, roots.length, now);
        });
      }
      return Promise.resolve();
    },

    giveBack(unused) {
      for (const { lane: id, step, count, resumeMinutes } of unused) {
        change(id, (lane) => {
          if (resumeMinutes.length > 0) remember(lane, resumeMinutes);
          const found = stepOf(lane, step);
          if (found === null) return;
          resolve(found, count);
          dropEmptyPrevious(lane);
        });
      }
      return Promise.resolve();
    },

    recordComeBacks(comeBacks) {
      const changes: LaneChange[] = [];
      for (const id of new Set(comeBacks.map(({ lane }) => lane))) {
        const ofLane = comeBacks.filter(({ lane }) => lane === id);
        const moved = change(id, (lane, now) => {
          merge(lane, ofLane, now);
          return settleNamed(lane, ofLane, now);
        });
        if (moved !== null) changes.push(moved);
      }
      return Promise.resolve(changes);
    },

    due() {
      const now = clock.now();
      const wanting = [...lanes.keys()].flatMap((id) => {
        const lane = read(id);
        const at = lane === null ? null : wantsAt(lane, now, grantLifeMs);
        if (lane === null || at === null) return [];
        // Its times have moved where the clock was set back.
        put(lane);
        return at > now ? [] : [{ lane, at }];
      });
      const watches: LaneWatch[] = [];
      const ready = new Map<DrainName, readonly number[]>();
      for (const { lane } of wanting.toSorted((a, b) => a.at - b.at).slice(0, maxDue)) {
        watches.push(...takeWatches(lane, now, grantLifeMs));
        if ((readyAt(lane, now, grantLifeMs) ?? Infinity) <= now) {
          const resumeMinutes = ready.get(lane.drain) ?? [];
          ready.set(lane.drain, [...resumeMinutes, ...takeResumeMinutes(lane, now)]);
        }
        put(lane);
      }
      return Promise.resolve({
        watches: watches.toSorted((a, b) => (a.lane === b.lane ? a.step - b.step : a.lane < b.lane ? -1 : 1)),
        ready: inOrder([...ready].map(([drain, resumeMinutes]) => ({ drain, resumeMinutes }))),
        at: now,
      });
    },

    checked({ lane: id, step }, checkedAt, comeBacks) {
      return changed(
        change(id, (lane, now) => {
          const found = stepOf(lane, step);
          if (found === null) return null;
          merge(
            lane,
            comeBacks.filter((one) => one.lane === id && one.step === step),
            now,
          );
          // A time that is still to come was read before the server's clock was set back.
          return settle(lane, found, checkedAt > now + 1_000 ? null : checkedAt, now);
        }),
      );
    },

    delivered({ lane: id, step }, parentDlqId) {
      return changed(
        change(id, (lane, now) => {
          const found = stepOf(lane, step);
          if (found === null || found.back.has(parentDlqId)) return null;
          found.delivered.set(parentDlqId, null);
          noteProof(found, now);
          return settle(lane, found, null, now);
        }),
      );
    },

    views(most) {
      const all = remembered();
      return Promise.resolve({
        lanes: inStateOrder(all).slice(0, most).map(toView),
        counts: countLanes(all),
      });
    },

    viewsOf(ids) {
      return Promise.resolve(
        ids
          .map(read)
          .filter((lane) => lane !== null)
          .map(toView),
      );
    },

    busiest(most) {
      const all = remembered();
      const sorted = all.toSorted((a, b) => recordsOf(b) - recordsOf(a) || (a.id < b.id ? 1 : -1));
      return Promise.resolve({ lanes: sorted.slice(0, most).map(toView), counts: countLanes(all), totals });
    },
  };
}

function noteSent(lane: Lane, step: Step, count: number, now: number): void {
  resolve(step, count);
  step.sent += count;
  step.firstAt ??= now;
  step.lastAt = now;
  // Of a lane that is always in use a look would never be due.
  const halfway = now + Math.floor(step.watchMs / 2);
  step.lookAt = lane.state === "open" ? (step.lookAt ?? halfway) : halfway;
  if (lane.state === "halted") lane.nextAt = now + lane.probeEvery!;
}

/** Whose grants they are nobody knows: forgotten ones come first, so that nobody else's are granted a second time. */
function resolve(step: Step, count: number): void {
  const late = Math.min(count, step.forgotten);
  step.forgotten -= late;
  step.underWay = Math.max(0, step.underWay - (count - late));
}

function stepOf(lane: Lane, number: number): Step | null {
  return stepsOf(lane).find(({ step }) => step === number) ?? null;
}

/** What came back, or was delivered, has been published, whether or not anybody has said so. */
function noteProof(step: Step, now: number): void {
  step.firstAt ??= now;
  step.lastAt ??= now;
  step.lookAt ??= step.lastAt + Math.floor(step.watchMs / 2);
}

function merge(lane: Lane, comeBacks: readonly LaneComeBack[], now: number): void {
  for (const { step: number, parentDlqId, kind, status } of comeBacks) {
    const step = stepOf(lane, number);
    if (step === null || step.back.has(parentDlqId)) continue;
    if (!step.delivered.has(parentDlqId)) lane.comeBacks += 1;
    if (kind === "again") {
      step.delivered.set(parentDlqId, status);
    } else {
      step.delivered.delete(parentDlqId);
      step.back.set(parentDlqId, { kind, status });
    }
    noteProof(step, now);
  }
}

/** The step before, then the one that is collecting, unless the lane has moved by then. */
function settleNamed(lane: Lane, comeBacks: readonly LaneComeBack[], now: number): Moved | null {
  const named = new Set(comeBacks.map(({ step }) => step));
  for (const step of stepsOf(lane)) {
    if (!named.has(step.step)) continue;
    const moved = settle(lane, step, null, now);
    if (moved !== null) return moved;
  }
  return null;
}

function changed(moved: Moved | null): Promise<LaneChange> {
  return Promise.resolve(moved ?? { kind: "none" });
}

function wantsAt(lane: Lane, now: number, grantLifeMs: number): number | null {
  const looks = stepsOf(lane).map((step) => wantsLookAt(lane, step, grantLifeMs));
  const times = [...looks, readyAt(lane, now, grantLifeMs)].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Each is handed to one, and again when that one has had the time for it. */
function takeWatches(lane: Lane, now: number, grantLifeMs: number): readonly LaneWatch[] {
  return stepsOf(lane).flatMap((step): readonly LaneWatch[] => {
    if ((wantsLookAt(lane, step, grantLifeMs) ?? Infinity) > now) return [];
    const until = step.lastAt! + step.watchMs;
    step.lookAt = now < until ? until : now + checkEveryMs;
    const { id, drain, origin, state } = lane;
    return [{ lane: id, step: step.step, drain, origin, state, firstSentAt: step.firstAt!, until }];
  });
}
