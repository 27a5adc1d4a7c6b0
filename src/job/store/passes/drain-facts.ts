/** Facts of a drain, from its row, its standing counts, and what its open pass has found so far. */
import {
  isAgainId,
  type FailureCount,
  type FailureCounts,
  type StandingFailure,
} from "../../contracts/failures.ts";
import type { DrainFacts, OpenPass, Pass } from "../../contracts/passes.ts";
import { addTallies, emptyTally, noReasons, type ReasonCounts, type Tally } from "../../contracts/tally.ts";
import { atMost, carried, standingOf, toLeft } from "./reasons-of-what-waits.ts";
import { arrivedOf, toGone, toPairs, toStanding, type Standing } from "./standing-failures.ts";

/** As scripts keep it: an absent time stands for null, and what only acts were counted of lacks some counts. */
export type StoredTally = Partial<Omit<Tally, "oldestRecordAt">> & {
  readonly oldestRecordAt?: number | null;
};

type WithoutNulls<Row> = { readonly [Name in keyof Row]?: NonNullable<Row[Name]> };
type Counts = WithoutNulls<
  Pick<DrainFacts, "due" | "held" | "parked" | "inDoubt" | "exact" | "reasons" | "oldestRecordAt">
> & {
  /** Those that the last pass met that listed something. */
  readonly met?: ReasonCounts;
  /** Of what has arrived since the last full pass. */
  readonly anew?: ReasonCounts["held"];
};

interface OpenRow {
  readonly pass: Pass;
  readonly progressAt: number;
  readonly left: number;
  readonly tally?: StoredTally;
  /** By window. */
  readonly soFar?: Readonly<Record<string, StoredTally>>;
}

/** pass-prelude.lua.ts has the meaning of each part. */
export interface StoredFacts {
  readonly row: WithoutNulls<
    Pick<DrainFacts, "lastFullAt" | "lastSuccessAt" | "lastOutcome" | "counted" | "backlog" | "pace">
  > &
    Partial<Readonly<Record<Arrived | "watermark" | "mayHaveSkipped", number>>> & {
      readonly open?: OpenRow;
      readonly counts?: Counts;
      readonly isCounted?: boolean;
    };
  /** Field and text in turn. Lua's empty list is an object. */
  readonly standing: readonly string[] | object;
  readonly found: readonly string[] | object;
}

type Arrived = "arrived" | "arrivedAgain" | "arrivedShown" | "arrivedAgainShown";

export function toStored({ oldestRecordAt, ...tally }: Tally): StoredTally {
  return oldestRecordAt === null ? tally : { ...tally, oldestRecordAt };
}

export function toTally(stored: StoredTally): Tally {
  return {
    ...emptyTally,
    ...stored,
    reasons: toReasons(stored.reasons),
    oldestRecordAt: stored.oldestRecordAt ?? null,
  };
}

/** A row of before the first complete pass lacks some. */
const toReasons = (reasons: Partial<ReasonCounts> = {}): ReasonCounts => ({ ...noReasons, ...reasons });

export function toDrainFacts({ row, standing, found }: StoredFacts): DrainFacts {
  const { open, counts = {}, isCounted = false, lastSuccessAt, lastFullAt, lastOutcome } = row;
  const openPass = open === undefined ? null : toOpenPass(open);
  const ofOpen = toPairs<FailureCounts>(found);
  const ofEarlier = toPairs<Standing>(standing);
  const failures = toStanding(ofEarlier, ofOpen, isCounted, open?.progressAt, open?.pass.kind === "full");
  const soFar = openPass?.soFar;
  const inDoubt = Math.max(counts.inDoubt ?? 0, soFar?.inDoubt ?? 0);
  const known = toReasons(counts.reasons);
  const stand = isCounted ? standingOf(failures, known.held, counts.anew, soFar?.reasons.anew) : null;
  const left =
    isCounted || open !== undefined ? toLeft(failures, inDoubt, counts.due ?? 0, soFar, stand ?? {}) : counts;
  const { due = 0, held = 0, parked = 0 } = left;
  const before = counts.met === undefined ? known : toReasons(counts.met);
  const met = soFar !== undefined && soFar.listed > 0 ? soFar.reasons : before;
  return {
    due,
    held,
    parked,
    inDoubt,
    exact: counts.exact === true && isCounted && openPass === null,
    reasons: {
      due: atMost(met.due, due),
      held: carried(known.held, met.held, held, stand),
      parked: carried(known.parked, met.parked, parked),
    },
    mayHaveSkipped: row.mayHaveSkipped !== undefined,
    oldestRecordAt: (isCounted ? toOldest(failures) : null) ?? counts.oldestRecordAt ?? null,
    failures,
    countedTo: isCounted ? (row.watermark ?? 0) : 0,
    gone: isCounted ? null : toGone(ofEarlier, ofOpen),
    arrivals: Math.max(row.arrivedShown ?? 0, (row.arrived ?? 0) + arrivedSince(open?.pass, ofOpen, false)),
    arrivedAgain: Math.max(
      row.arrivedAgainShown ?? 0,
      (row.arrivedAgain ?? 0) + arrivedSince(open?.pass, ofOpen, true),
    ),
    backlog: row.backlog === undefined ? null : withPublishedNow(row.backlog, ofOpen, soFar),
    pace: row.pace ?? {},
    lastSuccessAt: lastSuccessAt ?? null,
    lastFullAt: lastFullAt ?? null,
    lastOutcome: lastOutcome ?? null,
    ...(row.counted === undefined ? {} : { counted: row.counted }),
    openPass,
  };
}

/** Of the kinds that are there: what a full pass met of others is gone. Null: it is not known of each. */
function toOldest(failures: readonly StandingFailure[]): number | null {
  const there = failures.filter(({ waiting, parked }) => waiting + parked > 0);
  const known = there.flatMap(({ oldestAt }) => oldestAt ?? []);
  return known.length === 0 || known.length < there.length ? null : Math.min(...known);
}

function sumOf(
  ofOpen: ReadonlyMap<string, FailureCounts>,
  of: (one: FailureCount, id: string, window: string) => number,
): number {
  let sum = 0;
  for (const [window, failures] of ofOpen) {
    for (const [id, one] of Object.entries(failures)) sum += of(one, id, window);
  }
  return sum;
}

/** After the first count, and listed by the open pass: all, or what another drain counts for the source. */
function arrivedSince(
  pass: Pass | undefined,
  ofOpen: ReadonlyMap<string, FailureCounts>,
  isAgain: boolean,
): number {
  if ((pass?.countedTo ?? 0) === 0) return 0;
  return sumOf(ofOpen, (one, id) => (isAgainId(id) === isAgain ? arrivedOf(one) : 0));
}

/** A page counts what it publishes by failure at once, and in its tally when it ends. */
function withPublishedNow(
  { at, published }: NonNullable<DrainFacts["backlog"]>,
  ofOpen: ReadonlyMap<string, FailureCounts>,
  soFar: Tally | undefined,
): DrainFacts["backlog"] {
  const now = sumOf(ofOpen, (one, id, window) =>
    window === "acts" || isAgainId(id) ? 0 : (one.published ?? 0),
  );
  return { at, published: published + Math.max(0, now - (soFar?.republished ?? 0)) };
}

function toOpenPass({ pass, progressAt, left, tally = emptyTally, soFar = {} }: OpenRow): OpenPass {
  const { passId, startedAt, kind } = pass;
  const parts = [tally, ...Object.values(soFar)].map(toTally);
  return { passId, kind, startedAt, progressAt, windowsLeft: left, soFar: parts.reduce(addTallies) };
}
