/** How lanes stand now. They are asked without wanting anything: they grant nothing, and record nothing. */
import type { LaneConfig } from "../../job/contracts/drains-document.ts";
import type { LaneView, Origin } from "../../job/contracts/lanes.ts";
import { groupBy } from "../../group-items-by-key.ts";
import type { Core, DrainRuntime } from "../../job/door.ts";
import { toLaneId } from "../../job/message/short-id.ts";

export type LaneStanding = ReturnType<typeof toStanding>;

export type LaneStandings = ReadonlyMap<Origin, LaneStanding>;

const lanesPerCall = 100;

/** Empty if the drain has no lanes. Throws `redis-unavailable`. */
export async function readLaneStandings(
  drain: DrainRuntime,
  origins: Iterable<Origin>,
): Promise<LaneStandings> {
  const { lane } = drain.config;
  const standings = new Map<Origin, LaneStanding>();
  if (lane === undefined) return standings;
  const all = [...new Set(origins)];
  for (let from = 0; from < all.length; from += lanesPerCall) {
    const peeked = await peekLanes(drain, lane, all.slice(from, from + lanesPerCall));
    const views = await drain.source.lanes.viewsOf(peeked.map((one) => one.lane));
    const byLane = new Map(views.map((view) => [view.lane, view]));
    for (const one of peeked) standings.set(one.origin, toStanding(one, byLane.get(one.lane), lane));
  }
  return standings;
}

function toStanding(
  { answer, at, nextInMs }: Awaited<ReturnType<typeof peekLanes>>[number],
  view: LaneView | undefined,
  { canary, watchMs }: LaneConfig,
) {
  const { state, step, isSuspect } = answer;
  // A lane that was open or ramping and is long unused starts over, which its view does not show.
  const seen = view?.state === state ? view : null;
  const { size, sent } = seen?.step === step ? seen : { size: state === "halted" ? 1 : canary, sent: 0 };
  const grantInMs = nextInMs ?? 0;
  const lastProbeAt = seen === null ? null : lastProbeAtOf(seen);
  const judgedInMs = lastProbeAt === null ? watchMs : Math.max(0, lastProbeAt + watchMs - at);
  return {
    state,
    /** How long it has been in this state; null if nobody has asked for it, or not lately. */
    sinceMs: seen === null ? null : Math.max(0, at - seen.since),
    why: seen === null || seen.why === "" ? null : seen.why,
    /** Redis time, Unix ms, of the last probe since it halted. Null: there was none, or it is not halted. */
    lastProbeAt,
    /** Planned size of the step that is collecting or watched; 1 if it is halted. */
    size,
    /** Sent of that step; of a halted lane 1 while its probe is out. */
    sent,
    /** Ms until the next step or probe can go, or until the probe that is out is judged, at the latest; 0: now. */
    nextInMs: state === "halted" && sent > 0 ? Math.min(grantInMs, judgedInMs) : grantInMs,
    /** Records without attempts left are not parked because of it. */
    isSuspect,
  };
}

/**
 * Lanes grant nothing and record nothing. At most 100, in order, as of `at`, Unix ms by Redis. `nextInMs`: until its next
 * step has room or is judged, or its probe is due; 0: now; null: open, or unknown. Throws `redis-unavailable`.
 */
export async function peekLanes(
  { config, source }: DrainRuntime,
  given: LaneConfig,
  origins: readonly Origin[],
) {
  const nothing = { wanted: 0, resumeMinutes: [] };
  const asks = origins.map((origin) => ({ lane: toLaneId(config.name, origin), origin, ...nothing }));
  const { answers, at } = await source.lanes.ask(config.name, given, asks);
  return answers.flatMap((answer, index) => {
    const ask = asks[index];
    if (ask === undefined) return [];
    const nextInMs = answer.until === null ? null : Math.max(0, answer.until - at);
    return [{ origin: ask.origin, lane: ask.lane, answer, at, nextInMs }];
  });
}

/** Redis time, Unix ms. Null: it is not halted, or no probe was sent since it halted. */
export function lastProbeAtOf({
  state,
  since,
  lastUsedAt,
}: Pick<LaneView, "state" | "since" | "lastUsedAt">): number | null {
  return state === "halted" && lastUsedAt > since ? lastUsedAt : null;
}

/** What other drains know of a destination: a lane that is halted, or waits for what it has sent. `since`: Redis time, Unix ms. */
export type OtherLane = Pick<LaneView, "drain" | "origin" | "state" | "since" | "why">;

/** Halted ones first. Throws `redis-unavailable`. */
export async function readOtherLanes(
  { drains }: Pick<Core, "drains">,
  { config: { name: own } }: DrainRuntime,
  origins: readonly Origin[],
): Promise<readonly OtherLane[]> {
  const others = [...drains.values()].filter(
    ({ config }) => config.name !== own && config.lane !== undefined,
  );
  const found: OtherLane[] = [];
  for (const [source, some] of groupBy(others, (one) => one.source)) {
    const ids = some.flatMap(({ config }) => origins.map((origin) => toLaneId(config.name, origin)));
    for (let from = 0; from < ids.length; from += lanesPerCall) {
      const views = await source.lanes.viewsOf(ids.slice(from, from + lanesPerCall));
      const waiting = views.filter(({ state, sent }) => state === "halted" || (state !== "open" && sent > 0));
      found.push(
        ...waiting.map(({ drain, origin, state, since, why }) => ({ drain, origin, state, since, why })),
      );
    }
  }
  return found.toSorted((a, b) => Number(b.state === "halted") - Number(a.state === "halted"));
}
