import {
  type Core,
  type DrainRuntime,
  findNear,
  findOfKind,
  openAuditReader,
  type SourceRuntime,
} from "../../../job/door.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { readFailureMatcher } from "../../plan/filter-letters.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { type LaneStanding, readLaneStandings } from "../../read/lane-standings.ts";
import { readArrivals } from "./arrivals.ts";
import { sourceOf } from "./choose.ts";
import { readTimeLine } from "./time-line.ts";
import type { FailureKind } from "../../../job/message/failure-kind.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { toAnyText } from "../../../job/message/write-safe-json.ts";
import { createSelectMatcher } from "../../../job/message/select.ts";
import { isRedisAway, isRedriverError } from "../../../job/contracts/errors.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import { explainNow, type Explanation } from "../rules/explain.ts";

export type StoredDetails = Awaited<ReturnType<typeof readStoredDetails>>;
export type FailureDetails = Awaited<ReturnType<typeof readDetails>>;

/** Without a call of the service. `arrivals`: of all drains of its source. Throws `redis-unavailable`. */
export async function readStoredDetails(core: Core, failure: FailureView) {
  const arrivals = (await readArrivals(drainsOf(core, failure))).get(failure.id) ?? {};
  return { failure, arrivals, lanes: await readLanes(core, failure) };
}

interface LaneOfDrain {
  readonly drain: DrainName;
  readonly lane: LaneStanding;
}

/** Of its destination, by drain. Throws `redis-unavailable`. */
export async function readLanes(core: Core, failure: FailureView): Promise<readonly LaneOfDrain[]> {
  // `(other)` and `(unreadable)` have none.
  if (failure.origin.startsWith("(")) return [];
  const lanes = await Promise.all(
    drainsOf(core, failure).map(async (drain) => {
      const lane = (await readLaneStandings(drain, [failure.origin])).get(failure.origin);
      return lane === undefined ? [] : [{ drain: drain.config.name, lane }];
    }),
  );
  return lanes.flat();
}

/** Throws `redis-unavailable`. */
export async function readDetails(core: Core, failure: FailureView, signal: AbortSignal) {
  const source = sourceOf(core, failure).runtime;
  const stored = await readStoredDetails(core, failure);
  const { arrivals, lanes } = stored;
  const timeLine = await readTimeLine(await openAuditReader(core), source.ledger, failure, haltedOf(lanes));
  const { id, sample } = failure;
  const isOfKind = await readFailureMatcher(source, id);
  const drains = drainsOf(core, failure);
  return {
    ...stored,
    timeLine,
    sample: await readSample({ source, drains, sample, isOfKind, arrivals, signal }),
  };
}

export function haltedOf(lanes: readonly LaneOfDrain[]): readonly DrainName[] {
  return lanes.flatMap(({ drain, lane }) => (lane.state === "halted" ? [drain] : []));
}

/** Those that have met it, the most waiting first. */
function drainsOf(core: Core, { drains }: FailureView): readonly DrainRuntime[] {
  const own = drains.toSorted((one, other) => other.waiting - one.waiting);
  return own.flatMap(({ drain }) => core.drains.get(drain) ?? []);
}

/** `missing`: why there is none. */
export type Sample = { readonly explanation: Explanation } | { readonly missing: string };

interface SampleSearch {
  readonly source: SourceRuntime;
  /** Drains of the source that have met the kind, the most waiting first. */
  readonly drains: readonly DrainRuntime[];
  readonly sample: string | null;
  readonly isOfKind: (kind: FailureKind) => boolean;
  readonly arrivals: HourlyArrivals;
  readonly signal: AbortSignal;
}

const hourMs = 3_600_000;

/** Also if the service does not answer. Throws `redis-unavailable`. */
export async function readSample(search: SampleSearch): Promise<Sample> {
  const { source, drains, sample, signal } = search;
  try {
    const near = { source, select: {}, signal, onPage: () => undefined };
    const known = sample === null ? null : await findNear(sample as DlqId, near);
    const raw = known ?? (await findInLastHour(search));
    if (raw === null) {
      const gone = sample === null ? "none is known" : `${sample} is not in the queue`;
      return { missing: `${gone}, and no other was found in one page` };
    }
    const drain = drains.find(({ config }) => createSelectMatcher(config.select)(raw));
    if (drain === undefined) return { missing: `${toAnyText(raw["dlqId"])} is selected by no drain` };
    const { views, at } = await source.ledger.peek([raw["dlqId"] as DlqId]);
    const view = views[0] ?? { state: "absent" };
    return { explanation: await explainNow(drain, raw, { view, viewedAt: at, show: "masked" }) };
  } catch (error) {
    if (!isRedriverError(error) || isRedisAway(error)) throw error;
    return { missing: `the service was not read (${error.code}: ${error.message})` };
  }
}

/** One page of the last hour in which any arrived, if the service's dates mean entry. */
async function findInLastHour({
  source,
  drains,
  isOfKind,
  ...search
}: SampleSearch): Promise<RawRecord | null> {
  const [drain] = drains;
  const lastHour = Math.max(...Object.keys(search.arrivals).map(Number));
  if (drain === undefined || !Number.isFinite(lastHour)) return null;
  if ((await source.book.datesMean()) !== "entered") return null;
  const range = { fromDate: lastHour * hourMs, toDate: (lastHour + 1) * hourMs - 1 };
  return findOfKind(source, { select: drain.config.select, ...range }, isOfKind, search.signal);
}
