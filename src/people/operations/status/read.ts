import { namesOfOrigin } from "../../../job/message/destination-names.ts";
import type { DrainConfig } from "../../../job/contracts/drains-document.ts";
import { type ReplicaRecord, type ToldMode, toToldMode } from "../../../job/contracts/replicas.ts";
import { hostPausesOf, pauseOf, type HostPause, type PauseRecord } from "../../../job/contracts/pauses.ts";
import type { Core, DrainRuntime } from "../../../job/door.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { takeoverAfterMs } from "../../../job/contracts/ledger-limits.ts";
import { defined } from "../../../job/message/defined.ts";
import { isAutoRate } from "../../../job/contracts/auto-rate.ts";
import type { DrainName, SourceId } from "../../../job/contracts/ids.ts";
import {
  maxLanesShown,
  toInDoubt,
  type ExpiringGroup,
  type QueueFacts,
} from "../../../job/contracts/queue-facts.ts";
import { lateCheckMs, type LanesCounted, type LaneView } from "../../../job/contracts/lanes.ts";
import {
  type DeliveryStanding,
  toDeliveries,
  toLongPauses,
  toRest,
  toServicePauses,
} from "../../read/deliveries.ts";
import { toOutlook } from "../../read/outlook.ts";
import { peekLanes, readLaneStandings, type LaneStandings } from "../../read/lane-standings.ts";
import { toHeldByOrigin } from "../../read/held-by-rules.ts";
import { nobody, toOwners, toOwnersByOrigin } from "../../read/owners.ts";
import { toExpired } from "../../read/totals.ts";
import { mapEach } from "../../../group-items-by-key.ts";
import { hasServiceRule } from "../parked/next-step.ts";
import { sumExpiring, toSaved } from "./expiring.ts";

interface StatusRequest {
  readonly nextRuns: ReadonlyMap<string, number>;
  /** Of a document that does not load, so that only its names are known. */
  readonly problems: number;
  readonly now: number;
  /** Those that were read a moment ago. */
  readonly facts?: QueueFacts;
}

export async function readStatus(core: Core, { nextRuns, problems, now, facts: given }: StatusRequest) {
  const isWhole = problems === 0;
  const [facts, living, pausesOf, servicePausesOf] = await Promise.all([
    given ?? readQueueFacts(core),
    core.replicas.all(),
    mapEach(core.sources, ({ pauses }) => pauses.all()),
    mapEach(core.sources, async ({ limits }) => toServicePauses(await limits())),
  ]);
  const replicas = living.map((replica) => ({
    ...replica,
    sameDocument: isWhole && replica.documentHash === core.document.hash,
  }));
  const drainFacts = new Map(facts.drains.map((one) => [one.drain, one]));
  const lanesOf = await mapEach(drainFacts, (one) => readDestinationLanes(core, one));
  const owners = await mapEach(core.sources, async ({ failureMarks }, id) => {
    const own = facts.drains.filter(({ source }) => source === id);
    const met = own.map(({ facts: found }) => found?.failures ?? []);
    return toOwners(await failureMarks.all(), met);
  });
  const hostRates = await mapEach(core.drains, readHostRates);
  const drainRows = facts.drains.map((row) => {
    const { drain, source, guards, facts: found, destinations: counted, stillCounting } = row;
    const config = isWhole ? core.drains.get(drain)?.config : undefined;
    const mode = toModeInForce(replicas, drain, config);
    // The document has only that it is paused, not since when or why.
    const byDocument = mode === "paused" ? ({ by: "document" } as const) : null;
    const paused = pauseOf(pausesOf.get(source) ?? [], drain) ?? byDocument;
    const lanes = lanesOf.get(drain);
    const ledger = ofLedgerNow(facts, drain);
    const kinds = facts.sources.find((one) => one.source === source)?.failures ?? [];
    const ownersOf = toOwnersByOrigin(found?.failures ?? [], kinds, owners.get(source) ?? new Map());
    const heldOf = toHeldByOrigin(found?.failures ?? [], kinds);
    const destinations = counted.map((one) => {
      const pause = hostPauseOf(pausesOf.get(source) ?? [], drain, one.origin);
      const heldByRules = Math.min(one.waiting, heldOf.get(one.origin) ?? 0);
      return {
        ...one,
        lane: lanes?.get(one.origin) ?? null,
        isPaused: pause !== null || paused !== null,
        /** A person's, that holds what goes there. */
        pause,
        /** Of what waits: rules hold its kinds. */
        heldByRules,
        /** That is all of it, so nothing goes, whatever its lane says. */
        isHeldByRules: one.waiting > 0 && heldByRules === one.waiting,
        // The kinds of what is not listed yet are not looked at.
        ...((one.unseen === 0 && ownersOf.get(one.origin)) || nobody),
      };
    });
    return {
      drain,
      source,
      destinations,
      stillCounting,
      ...toExpired(counted, (one) => one.waiting + one.parked),
      outlook: toOutlook(found, destinations, {
        stillCounting,
        now,
        open: ledger?.open ?? 0,
        isAway:
          toRest(replicas, source)?.isOfAll === true ||
          toLongPauses(servicePausesOf.get(source) ?? [], now).some(({ calls }) => calls === "publish"),
      }),
      /** Null: replicas differ, or one under another document does not tell. */
      mode: mode === "paused" ? (config?.mode ?? null) : mode,
      paused,
      guards,
      /** Null: no daemon has scheduled it. */
      nextPassAt: nextRuns.get(`tick:${drain}`) ?? null,
      /** Null: the rates of its hosts are not learned (`perHost: auto`). */
      hostRates: hostRates.get(drain) ?? null,
      ...found,
      ...defined({ inDoubt: ledger?.inDoubt }),
    };
  });
  const hostPausesOfSource = (source: SourceId) =>
    (pausesOf.get(source) ?? []).filter(({ host }) => host !== undefined);
  const toExpiringGroup = (source: SourceId, group: ExpiringGroup) => ({
    source,
    owner: owners.get(source)?.get(group.failure ?? "") ?? null,
    ...toSaved(group, (name) => {
      const row = drainRows.find(({ drain }) => drain === name);
      const destination = row?.destinations.find(({ origin }) => origin === group.origin);
      return {
        mode: row?.mode ?? null,
        paused: row?.paused ?? null,
        lane: destination?.lane ?? null,
        hostPause: destination?.pause ?? null,
        hostPauses: hostPausesOfSource(source),
        reasons: row?.reasons,
        mayUseService: hasServiceRule(core.drains.get(name)?.config),
      };
    }),
  });
  return {
    at: now,
    expiring: sumExpiring(
      facts.sources.map(({ source, expiring }) => ({
        ...expiring,
        groups: expiring.groups.map((group) => toExpiringGroup(source, group)),
      })),
    ),
    /** Null: the document has problems, and the replicas go on under one from before. */
    documentHash: isWhole ? core.document.hash : null,
    documentProblems: problems,
    redisFit: facts.redisFit,
    drains: drainRows,
    sources: await Promise.all(
      facts.sources.map(async ({ source, summary, census, depth, expiring, shared, failures, lanes }) => ({
        source,
        ...summary,
        listed: toListed(core, facts, source, replicas, now),
        /** Unix ms; until then each that is open is left to whoever began it. Null: none is. */
        triedAgainAt: toTriedAgainAt(core, source, summary?.oldestOpenAt ?? null),
        census,
        depth,
        expiring: { count: expiring.count, atLeast: expiring.atLeast, by: expiring.by, asOf: expiring.asOf },
        shared,
        failures,
        deliveries: readDeliveries(core, source, lanes),
        /** Flow control keys of ours that are paused at the service. Null: it does not say. */
        brakes: (await core.sources.get(source)?.runtime.brake.paused()) ?? null,
        hostPauses: hostPausesOfSource(source),
        /** The service asked for them (429). */
        servicePauses: servicePausesOf.get(source) ?? [],
        lanes: lanes && (await readLanes(core, source, pausesOf.get(source) ?? [])),
      })),
    ),
    replicas,
  };
}

/** This document's `config` binds no replica that works under another. Null: not known. */
function toModeInForce(
  replicas: readonly (Pick<ReplicaRecord, "modes"> & { readonly sameDocument: boolean })[],
  drain: DrainName,
  config: DrainConfig | undefined,
): ToldMode | null {
  const own = config === undefined ? null : toToldMode(config);
  if (replicas.length === 0) return own;
  const told = replicas.flatMap(({ sameDocument, modes }) => {
    if (sameDocument) return [own];
    // It may have no such drain.
    return modes === undefined ? [null] : (modes[drain] ?? []);
  });
  const [first = null] = told;
  return told.every((one) => one === first) ? first : null;
}

/** More destinations are not asked for one by one: a drain may have one for each customer. */
const maxDestinationsAsked = 100;

/** By origin. Empty if the drain has no lanes. Changes nothing. */
async function readDestinationLanes(
  core: Core,
  { drain: name, destinations }: QueueFacts["drains"][number],
): Promise<LaneStandings> {
  const drain = core.drains.get(name);
  const waiting = destinations.filter(({ waiting: count }) => count > 0);
  const origins = waiting.slice(0, maxDestinationsAsked).map(({ origin }) => origin);
  return drain === undefined ? new Map() : readLaneStandings(drain, origins);
}

/** Of several, the one that lasts longest. */
function hostPauseOf(pauses: readonly PauseRecord[], drain: string, origin: string): HostPause | null {
  const names = namesOfOrigin(origin);
  const [last] = hostPausesOf(pauses, drain)
    .filter(({ host }) => names.includes(host))
    .toSorted((one, other) => (other.until ?? Infinity) - (one.until ?? Infinity));
  return last ?? null;
}

/** As the metric counts it: what the ledger does not know now, in place of what the last pass met. Null: not known. */
function ofLedgerNow(facts: QueueFacts, name: DrainName) {
  for (const { source, summary } of facts.sources) {
    const drains = facts.drains.filter((drain) => drain.source === source);
    if (summary === null || !drains.some(({ drain }) => drain === name)) continue;
    const [open, inDoubt] = [summary.open, summary.unknown].map((of) => toInDoubt(of, drains).get(name) ?? 0);
    return { open, inDoubt };
  }
  return null;
}

/** Two times of a listing that is due may pass, and a minute. */
const lateMs = 60_000;

/** When all of a source was last listed without a fault, Unix ms, and if that is too long ago. Null: never. */
function toListed(
  { drains }: Core,
  facts: QueueFacts,
  source: SourceId,
  replicas: readonly ReplicaRecord[],
  now: number,
) {
  const { census = null, censusEveryMs = 0 } = facts.sources.find((one) => one.source === source) ?? {};
  const own = facts.drains.filter((one) => one.source === source);
  const everyMs = own.map(({ drain }) => {
    const schedule = drains.get(drain)?.config.schedule;
    return schedule?.kind === "every" ? schedule.everyMs : Infinity;
  });
  const passedAt = own.map((one) => one.facts?.lastSuccessAt ?? 0);
  const countedAt = census === null || census.isOutdated === true ? 0 : census.at;
  const latestAt = Math.max(own.length === 0 ? 0 : Math.min(...passedAt), countedAt);
  const dueMs = Math.min(censusEveryMs, own.length === 0 ? Infinity : Math.max(...everyMs));
  // What no drain selects is listed by the census alone.
  const at = own.some((one) => one.selectsEverything) ? latestAt : countedAt;
  const isOverdue = (since: number, ms: number): boolean => now - since > 2 * ms + lateMs;
  const isLate = isOverdue(latestAt, dueMs) || isOverdue(at, censusEveryMs);
  const isCalled = replicas.length > 0 && toRest(replicas, source)?.isOfAll !== true;
  const isWhole = own.every((one) => (one.facts?.lastOutcome ?? "complete") === "complete");
  return { at: at === 0 ? null : at, isLate: isLate || !isCalled || !isWhole };
}

function toTriedAgainAt({ sources }: Core, source: SourceId, oldestOpenAt: number | null): number | null {
  const limits = sources.get(source)?.runtime.ledger.limits;
  return oldestOpenAt === null || limits === undefined ? null : oldestOpenAt + takeoverAfterMs(limits);
}

export type Status = Awaited<ReturnType<typeof readStatus>>;
export type DestinationStatus = Status["drains"][number]["destinations"][number];

const maxHostRates = 100;

async function readHostRates({ config: { name, limits }, source }: DrainRuntime) {
  if (limits.perHost === undefined || !isAutoRate(limits.perHost)) return null;
  return source.capacity.learned({ source: source.config.id, drain: name }, maxHostRates);
}

function readDeliveries(core: Core, source: SourceId, lanes: LanesCounted | null): DeliveryStanding | null {
  const config = core.sources.get(source)?.runtime.config;
  const watches = [...core.drains.values()].flatMap((drain) =>
    drain.source.config.id === source && drain.config.lane !== undefined ? [drain.config.lane.watchMs] : [],
  );
  return config === undefined ? null : toDeliveries(lanes, config, Math.max(0, ...watches));
}

async function readLanes(core: Core, source: SourceId, pauses: readonly PauseRecord[]) {
  const views = await core.sources.get(source)?.runtime.lanes.views(maxLanesShown);
  if (views === undefined) return null;
  return { counts: views.counts, reported: await readLaneNext(core, views.lanes, pauses) };
}

export type LaneStatus = Awaited<ReturnType<typeof readLaneNext>>[number];

/** Asks the lanes of each drain with nothing wanted, which changes nothing. Throws `redis-unavailable`. */
export async function readLaneNext(
  { drains }: Pick<Core, "drains">,
  lanes: readonly LaneView[],
  pauses: readonly PauseRecord[],
) {
  const names = [...new Set(lanes.map(({ drain }) => drain))];
  const peeked = await Promise.all(
    names.map(async (name) => {
      const drain = drains.get(name);
      if (drain?.config.lane === undefined) return [];
      const origins = lanes.filter((lane) => lane.drain === name).map(({ origin }) => origin);
      return peekLanes(drain, drain.config.lane, origins);
    }),
  );
  const next = new Map(peeked.flat().map(({ lane, nextInMs }) => [lane, nextInMs]));
  return lanes.map((lane) => {
    /** As `PeekedLane` has it; null also if its drain is not in the document any more. */
    const nextInMs = next.get(lane.lane) ?? null;
    /** Its time is over, and a listing check that judges it is still to come, within `nextInMs`. */
    const awaitsLook = nextInMs === lateCheckMs;
    const hostPaused = hostPauseOf(pauses, lane.drain, lane.origin) !== null;
    return { ...lane, nextInMs, awaitsLook, hostPaused };
  });
}
