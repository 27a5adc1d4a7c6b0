import { pauseOf, type PauseRecord } from "../../ports/pauses.ts";
import type { Core } from "../../compose/build-core.ts";
import { readQueueFacts } from "../../compose/read-facts.ts";
import type { SourceId, DrainName } from "../../ports/ids.ts";
import { maxLanesShown, toInDoubt, type QueueFacts } from "../../ports/queue-facts.ts";
import { lateCheckMs, type LanesCounted, type LaneView } from "../../ports/lanes.ts";
import { peekLanes } from "../../redrive/lanes/peek-lanes.ts";

/** Since when a drain is paused, by whom and why. The document has only that it is. */
export type DrainPause = PauseRecord | { readonly by: "document" } | null;

export interface StatusQuestion {
  readonly nextRuns: ReadonlyMap<string, number>;
  /** Of a document that does not load: then its names are known and nothing else of it. */
  readonly problems: number;
  /** Unix ms. */
  readonly now: number;
}

/** Everything that Redis knows of the document's drains and sources, and of who works on them. */
export async function readStatus(core: Core, { nextRuns, problems, now }: StatusQuestion) {
  const isWhole = problems === 0;
  const [facts, replicas, pauses] = await Promise.all([
    readQueueFacts(core),
    core.replicas.all(),
    readPauses(core),
  ]);
  return {
    at: now,
    /** Null: the document has problems, and the replicas go on under one from before. */
    documentHash: isWhole ? core.document.hash : null,
    documentProblems: problems,
    drains: facts.drains.map(({ drain, source, guards, facts: found }) => {
      const config = core.drains.get(drain)?.config;
      const byPerson = pauseOf(pauses.get(source) ?? [], drain);
      const paused: DrainPause = byPerson ?? (config?.paused === true ? { by: "document" } : null);
      return {
        drain,
        source,
        mode: isWhole ? (config?.mode ?? "plan") : null,
        paused,
        guards,
        /** Null: no daemon has scheduled it. */
        nextPassAt: nextRuns.get(`tick:${drain}`) ?? null,
        ...found,
        ...inDoubtNow(facts, drain),
      };
    }),
    sources: await Promise.all(
      facts.sources.map(async ({ source, summary, census, lanes }) => ({
        source,
        ...summary,
        census,
        lanes: lanes === null ? null : await readLanes(core, source),
      })),
    ),
    replicas: replicas.map((replica) => ({
      ...replica,
      sameDocument: isWhole && replica.documentHash === core.document.hash,
    })),
  };
}

async function readLanes(core: Core, source: SourceId): Promise<LanesStatus | null> {
  const lanes = core.sources.get(source)?.runtime.lanes;
  return lanes === undefined ? null : readLaneNext(core, await lanes.views(maxLanesShown));
}

/** As the metric counts it: what the ledger does not know now, in place of what the last pass met under way. */
function inDoubtNow(facts: QueueFacts, name: string): { readonly inDoubt?: number } {
  for (const { source, summary } of facts.sources) {
    const drains = facts.drains.filter((drain) => drain.source === source);
    if (summary === null || !drains.some(({ drain }) => drain === name)) continue;
    return { inDoubt: toInDoubt(summary.unknown, drains).get(name) ?? 0 };
  }
  return {};
}

export type Status = Awaited<ReturnType<typeof readStatus>>;

async function readPauses(core: Core): Promise<ReadonlyMap<string, readonly PauseRecord[]>> {
  return new Map(
    await Promise.all(
      [...core.sources.values()].map(
        async ({ runtime, pauses }) => [runtime.config.id, await pauses.all()] as const,
      ),
    ),
  );
}

/** A lane with when it can go on. */
export interface LaneStatus extends LaneView {
  /** As `PeekedLane` has it; null also if its drain is not in the document any more. */
  readonly nextInMs: number | null;
  /** Its time is over, and a listing check that judges it is still to come, within `nextInMs`. */
  readonly awaitsLook: boolean;
}

/** The lanes of one source. */
export interface LanesStatus extends Pick<LanesCounted, "counts"> {
  /** Those that are shown one by one, in their order. */
  readonly reported: readonly LaneStatus[];
}

/** Asks the lanes of each drain with nothing wanted, which changes nothing. Throws `redis-unavailable`. */
export async function readLaneNext(
  { drains }: Pick<Core, "drains">,
  { lanes, counts }: LanesCounted,
): Promise<LanesStatus> {
  const names = [...new Set(lanes.map(({ drain }) => drain))];
  const next = new Map((await Promise.all(names.map((name) => ofDrain(name)))).flat());
  return {
    counts,
    reported: lanes.map((lane) => {
      const nextInMs = next.get(lane.lane) ?? null;
      return { ...lane, nextInMs, awaitsLook: nextInMs === lateCheckMs };
    }),
  };

  async function ofDrain(name: DrainName): Promise<readonly (readonly [string, number | null])[]> {
    const drain = drains.get(name);
    if (drain?.config.lane === undefined) return [];
    const origins = lanes.filter((lane) => lane.drain === name).map(({ origin }) => origin);
    const peeked = await peekLanes(drain, drain.config.lane, origins);
    return peeked.map(({ lane, nextInMs }) => [lane, nextInMs] as const);
  }
}
