/** What the rules do with a kind: one of its dead letters, read with at most two calls and decided. */
import { serviceNow } from "../../../job/contracts/service.ts";
import type { FailureKind } from "../../../job/message/failure-kind.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { toAnyText } from "../../../job/message/write-safe-json.ts";
import { createSelectMatcher, type Select } from "../../../job/message/select.ts";
import { isRedisAway, isRedriverError } from "../../../job/contracts/errors.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import { type DrainRuntime, type SourceRuntime, findNear, findOfKind, lineageOf } from "../../../job/door.ts";
import { explainRecord, type Explanation } from "../rules/explain.ts";

/** `missing`: why there is none. */
export type Sample = { readonly explanation: Explanation } | { readonly missing: string };

interface SampleSearch {
  readonly source: SourceRuntime;
  /** Drains of the source that have met the kind, the most waiting first. */
  readonly drains: readonly DrainRuntime[];
  /** The one that was met last; null: none is known. */
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
    return { explanation: await explainNow(drain, raw) };
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
  const select: Select = drain.config.select;
  const range = { fromDate: lastHour * hourMs, toDate: (lastHour + 1) * hourMs - 1 };
  return findOfKind(source, { select, ...range }, isOfKind, search.signal);
}

async function explainNow({ config, source }: DrainRuntime, raw: RawRecord): Promise<Explanation> {
  const { views, at } = await source.ledger.peek([raw["dlqId"] as DlqId]);
  return explainRecord(config, raw, {
    now: serviceNow(source),
    view: views[0] ?? { state: "absent" },
    viewedAt: at,
    lineage: await lineageOf(source, raw),
    headerPrefix: source.headerPrefix,
    lineageKeys: source.lineageKeys(),
    checkItem: source.checkItem,
    show: "masked",
    ledgerNotAsked: null,
    notes: [],
  });
}
