/** Reads the facts of a drain from its row, its standing counts, and what its open pass has found so far. */
import {
  arrivalHours,
  isAgainId,
  resolvedAfterMs,
  toAgainId,
  type CountedAgain,
  type FailureCount,
  type FailureCounts,
  type HourlyArrivals,
  type StandingFailure,
} from "../../contracts/failures.ts";
import { isRecalled, type DrainFacts, type OpenPass, type Pass } from "../../contracts/passes.ts";
import { toHashEntries } from "../hash-entries.ts";
import { addTallies, emptyTally, noReasons, type ReasonCounts, type Tally } from "../../contracts/tally.ts";

/** As scripts keep it: an absent time stands for null, and what only acts were counted of lacks some counts. */
export type StoredTally = Partial<Omit<Tally, "oldestRecordAt">> & {
  readonly oldestRecordAt?: number | null;
};

const hourMs = 3_600_000;

type WithoutNulls<Row> = { readonly [Name in keyof Row]?: NonNullable<Row[Name]> };
type Counts = WithoutNulls<
  Pick<DrainFacts, "due" | "held" | "parked" | "inDoubt" | "exact" | "reasons" | "oldestRecordAt">
> & {
  /** Those that the last pass met. */
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
  readonly row: WithoutNulls<Pick<DrainFacts, "lastFullAt" | "lastSuccessAt" | "lastOutcome" | "counted">> & {
    readonly open?: OpenRow;
    readonly counts?: Counts;
    readonly isCounted?: boolean;
    readonly watermark?: number;
    readonly mayHaveSkipped?: number;
    readonly arrived?: number;
    readonly arrivedAgain?: number;
    readonly arrivedShown?: number;
    readonly arrivedAgainShown?: number;
    readonly backlog?: NonNullable<DrainFacts["backlog"]>;
    readonly pace?: Readonly<Record<string, number>>;
  };
  /** Field and text in turn. Lua's empty list is an object. */
  readonly standing: readonly string[] | object;
  readonly found: readonly string[] | object;
}

interface Standing {
  readonly w: number;
  readonly q: number;
  readonly n: number;
  readonly p: number;
  readonly f: number;
  readonly g?: number;
  readonly l?: number;
  readonly m?: number;
  readonly d?: Readonly<Record<string, number>>;
  readonly h?: number;
  readonly x?: Readonly<Record<string, number>>;
  readonly o?: number;
  readonly s?: number;
  readonly t?: number;
  readonly e?: number;
  readonly b?: Readonly<Record<string, number>>;
}

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
function toReasons({
  due = {},
  held = {},
  parked = {},
  ...anew
}: Partial<ReasonCounts> = noReasons): ReasonCounts {
  return { due, held, parked, ...anew };
}

export function toDrainFacts({ row, standing, found }: StoredFacts): DrainFacts {
  const { open, counts = {}, isCounted = false, lastSuccessAt, lastFullAt, lastOutcome } = row;
  const openPass = open === undefined ? null : toOpenPass(open);
  const ofOpen = toPairs<FailureCounts>(found);
  const ofEarlier = toPairs<Standing>(standing);
  const failures = toStanding(ofEarlier, ofOpen, isCounted, open?.progressAt);
  const soFar = openPass?.soFar;
  const inDoubt = Math.max(counts.inDoubt ?? 0, soFar?.inDoubt ?? 0);
  const known = toReasons(counts.reasons);
  const stand = isCounted ? standingOf(failures, known.held, counts.anew, soFar?.reasons.anew) : null;
  const left = isCounted || open !== undefined ? toLeft(failures, { inDoubt, counts, soFar, stand }) : counts;
  const { due = 0, held = 0, parked = 0 } = left;
  const met = soFar?.reasons ?? (counts.met === undefined ? known : toReasons(counts.met));
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

/** After the first count, and listed by the open pass: all, or what another drain counts for the source. */
function arrivedSince(
  pass: Pass | undefined,
  ofOpen: ReadonlyMap<string, FailureCounts>,
  isAgain: boolean,
): number {
  if ((pass?.countedTo ?? 0) === 0) return 0;
  let sum = 0;
  for (const failures of ofOpen.values()) {
    for (const [id, one] of Object.entries(failures)) if (isAgainId(id) === isAgain) sum += arrivedOf(one);
  }
  return sum;
}

/** A page counts what it publishes by failure at once, and in its tally when it ends. */
function withPublishedNow(
  { at, published }: NonNullable<DrainFacts["backlog"]>,
  ofOpen: ReadonlyMap<string, FailureCounts>,
  soFar: Tally | undefined,
): NonNullable<DrainFacts["backlog"]> {
  let now = 0;
  for (const [window, failures] of ofOpen) {
    if (window === "acts") continue;
    for (const [id, one] of Object.entries(failures)) if (!isAgainId(id)) now += one.published ?? 0;
  }
  return { at, published: published + Math.max(0, now - (soFar?.republished ?? 0)) };
}

function toOpenPass({ pass, progressAt, left, tally, soFar = {} }: OpenRow): OpenPass {
  const { passId, startedAt, kind } = pass;
  const parts = [...(tally === undefined ? [] : [tally]), ...Object.values(soFar)].map(toTally);
  return {
    passId,
    kind,
    startedAt,
    progressAt,
    windowsLeft: left,
    soFar: parts.reduce(addTallies, emptyTally),
  };
}

function toPairs<Value>(flat: readonly string[] | object): ReadonlyMap<string, Value> {
  return new Map(toHashEntries(flat).map(([field, text]) => [field, JSON.parse(text) as Value]));
}

function toStanding(
  standing: ReadonlyMap<string, Standing>,
  found: ReadonlyMap<string, FailureCounts>,
  isCounted: boolean,
  progressAt = 0,
): readonly StandingFailure[] {
  const sums = new Map<string, { -readonly [Name in keyof Standing]: Standing[Name] }>();
  for (const [id, one] of standing) sums.set(id, { ...one });
  const arrivedNow = toArrivals(new Map(), found, 0);
  const firstNow = new Map<string, number>();
  for (const [window, failures] of found) {
    for (const [id, count] of Object.entries(failures)) {
      const sum = sums.get(id) ?? { w: 0, q: 0, n: 0, p: 0, f: 0 };
      sums.set(id, sum);
      const arrived = arrivedOf(count);
      const done = (count.published ?? 0) + (count.dropped ?? 0);
      if (done > 0) sum.t = progressAt;
      sum.w += arrived - done;
      sum.q += count.parked ?? 0;
      sum.n += arrived;
      sum.p += count.published ?? 0;
      sum.g = (sum.g ?? 0) + (count.discarded ?? 0);
      sum.f += (count.failedAgain ?? 0) + (count.cameBack ?? 0);
      if (count.failedAgainOf !== undefined) sum.b = addNamed(sum.b ?? {}, count.failedAgainOf);
      if (count.lastArrivedAt !== undefined) sum.l = Math.max(sum.l ?? 0, count.lastArrivedAt);
      if (window !== "acts" && count.ruled !== undefined) sum.d = addNamed(sum.d ?? {}, count.ruled);
      if (count.firstAt !== undefined) {
        sum.s = Math.min(sum.s ?? Infinity, count.firstAt);
        firstNow.set(id, Math.min(firstNow.get(id) ?? Infinity, count.firstAt));
      }
      if (count.oldestAt !== undefined) sum.o = Math.min(sum.o ?? Infinity, count.oldestAt);
      const { expires = {}, expiresDone } = count;
      if (!isCounted && !isRecalled(window)) sum.x = addNamed(sum.x ?? {}, expires);
      if (expiresDone !== undefined) sum.x = addNamed(sum.x ?? {}, negated(expiresDone));
    }
  }
  for (const [id, firstAt] of firstNow) {
    const sum = sums.get(id);
    if (sum !== undefined && isReopening(standing.get(id), firstAt)) sum.e = firstAt;
  }
  for (const [id, hours] of arrivedNow) {
    const sum = sums.get(id);
    if (sum !== undefined) sum.m = Math.max(sum.m ?? 0, ...Object.values(hours));
  }
  const failedAgainAs = moveToSent(sums);
  return [...sums].flatMap(([id, one]): readonly StandingFailure[] => {
    if (isAgainId(id)) return [];
    const { w, p, f, g = 0, l = null, m = 0, o = null, s = null, t = 0, e = 0 } = one;
    const again = sums.get(toAgainId(id));
    const isThere = w > 0;
    return [
      {
        id,
        ...countedOf(one),
        published: p,
        discarded: g,
        failedAgain: f,
        failedAgainAs: failedAgainAs.get(id) ?? {},
        lastArrivedAt: l,
        largestHour: m,
        oldestAt: isThere ? o : null,
        since: isThere ? (s ?? o) : null,
        lastMovedAt: Math.max(l ?? 0, t),
        reopenedAt: e,
        ...(again === undefined ? {} : { again: countedOf(again) }),
      },
    ];
  });
}

/** Waits and parks may be below 0 until the next full pass, if a process ended before it had written its counts. */
function countedOf({ w, q, n, h = 0, x = {}, d = {} }: Standing): CountedAgain {
  const there = Math.max(0, w);
  const parked = Math.min(there, Math.max(0, q));
  return { waiting: there - parked, parked, arrived: Math.max(n, h), expires: x, ruled: d };
}

/** Counts come-backs for the kind that was sent, if it is known. Answers by kind what they are now. */
function moveToSent(
  sums: ReadonlyMap<string, { f: number; b?: Standing["b"] }>,
): ReadonlyMap<string, Readonly<Record<string, number>>> {
  const moved = new Map<string, Readonly<Record<string, number>>>();
  for (const [id, one] of sums) {
    for (const [of, count] of isAgainId(id) ? [] : Object.entries(one.b ?? {})) {
      const sent = sums.get(of);
      if (sent === undefined) continue;
      one.f -= count;
      sent.f += count;
      moved.set(of, { ...moved.get(of), [id]: count });
    }
  }
  return moved;
}

/** As `addStanding` of the scripts has it. */
function isReopening(before: Standing | undefined, firstAt: number): boolean {
  const { w = 0, l = 0, t = 0, e = 0 } = before ?? {};
  const movedAt = Math.max(l, t);
  return w <= 0 && firstAt - movedAt > resolvedAfterMs && e <= movedAt;
}

export interface StoredArrivals {
  /** As in `StoredFacts`. */
  readonly arrivals: readonly string[] | object;
  readonly found: readonly string[] | object;
  /** Redis time, Unix ms. */
  readonly now: number;
}

export function toHourlyArrivals({
  arrivals,
  found,
  now,
}: StoredArrivals): ReadonlyMap<string, HourlyArrivals> {
  const all = toArrivals(
    toPairs<HourlyArrivals>(arrivals),
    toPairs<FailureCounts>(found),
    Math.floor(now / hourMs) - arrivalHours,
  );
  return new Map(
    [...all].flatMap(([id, hours]) => {
      const again = all.get(toAgainId(id));
      if (isAgainId(id)) return [];
      return [[id, again === undefined ? hours : addNamed(hours, negated(again))]];
    }),
  );
}

/** Those after this hour: what was counted, and what the open pass has found since. */
function toArrivals(
  counted: ReadonlyMap<string, HourlyArrivals>,
  found: ReadonlyMap<string, FailureCounts>,
  after: number,
): ReadonlyMap<string, HourlyArrivals> {
  const sums = new Map(counted);
  for (const failures of found.values()) {
    for (const [id, { arrived }] of Object.entries(failures)) {
      if (arrived !== undefined) sums.set(id, addNamed(sums.get(id) ?? {}, arrived));
    }
  }
  for (const [id, hours] of sums) {
    // Most have nothing that is older, and a hundred hours.
    if (firstHour(hours) > after) continue;
    sums.set(id, Object.fromEntries(Object.entries(hours).filter(([hour]) => Number(hour) > after)));
  }
  return sums;
}

/** Whole numbers are enumerated in their order. */
function firstHour(hours: HourlyArrivals): number {
  for (const hour in hours) return Number(hour);
  return Infinity;
}

function addNamed(
  sums: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const all = { ...sums };
  for (const [name, count] of Object.entries(more)) all[name] = (all[name] ?? 0) + count;
  return all;
}

function negated(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, -count]));
}

function arrivedOf({ arrived = {} }: FailureCount): number {
  return Object.values(arrived).reduce((sum, count) => sum + count, 0);
}

function toGone(
  standing: ReadonlyMap<string, Standing>,
  found: ReadonlyMap<string, FailureCounts>,
): Readonly<Record<string, number>> {
  const gone: Record<string, number> = {};
  for (const [id, { n, w }] of standing) gone[id] = n - w;
  for (const failures of found.values()) {
    for (const [id, { published = 0, dropped = 0 }] of Object.entries(failures)) {
      gone[id] = (gone[id] ?? 0) + published + dropped;
    }
  }
  return gone;
}

function toLeft(
  failures: readonly StandingFailure[],
  {
    inDoubt,
    counts,
    soFar,
    stand,
  }: {
    readonly inDoubt: number;
    readonly counts: Counts;
    readonly soFar: Tally | undefined;
    readonly stand: Readonly<Record<string, number>> | null;
  },
): { readonly due: number; readonly held: number; readonly parked: number } {
  let all = 0;
  let parked = 0;
  for (const one of failures) {
    all += one.waiting;
    parked += one.parked;
  }
  const fixed = Math.min(
    all,
    Object.values(stand ?? {}).reduce((sum, count) => sum + count, 0),
  );
  const waiting = Math.max(fixed, all - inDoubt);
  const { due: before = 0 } = counts;
  const met = soFar === undefined ? before : Math.max(soFar.due, before - soFar.republished);
  const due = Math.min(met, waiting - fixed);
  return { due, held: waiting - due, parked };
}

/**
 * A publish ends none of them, so they are as many as the last full pass left, and what has arrived since. What was
 * discarded, or sent by another drain, is of kinds of which fewer wait than rules hold.
 */
const standingReasons = ["rule", "otherwise", "attempts-exhausted", "implausible-date"] as const;

function standingOf(
  failures: readonly StandingFailure[],
  ...all: readonly (ReasonCounts["held"] | undefined)[]
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const reason of standingReasons) sums[reason] = (sums[reason] ?? 0) + (counts?.[reason] ?? 0);
  }
  const { rule = 0, otherwise = 0 } = sums;
  const byRules = failures.reduce((sum, one) => sum + Math.min(one.waiting, heldByRules(one)), 0);
  const held: Readonly<Record<string, number>> = atMost({ rule, otherwise }, byRules);
  return { ...sums, rule: held["rule"] ?? 0, otherwise: held["otherwise"] ?? 0 };
}

/** Decisions since the last full pass. */
function heldByRules({ ruled }: StandingFailure): number {
  return Object.entries(ruled).reduce(
    (sum, [rule, count]) => sum + (rule.startsWith("hold ") ? count : 0),
    0,
  );
}

/** The most frequent first, up to `all`. */
function atMost<Reasons extends Readonly<Record<string, number | undefined>>>(
  counts: Reasons,
  all: number,
): Reasons {
  return carried({} as Reasons, counts, all);
}

/**
 * Reasons for `all` records: those that stand, then those that the last pass met, then the known ones, the most frequent
 * first. A pass over what is new does not meet everything.
 */
function carried<Reasons extends Readonly<Record<string, number | undefined>>>(
  known: Reasons,
  met: Reasons,
  all: number,
  standing: Readonly<Record<string, number>> | null = null,
): Reasons {
  const sums: Record<string, number> = {};
  let left = all;
  const take = (reason: string, count: number): void => {
    const taken = Math.min(count, left);
    if (taken <= 0) return;
    sums[reason] = (sums[reason] ?? 0) + taken;
    left -= taken;
  };
  const isOpen = ([reason]: readonly [string, number]): boolean => standing?.[reason] === undefined;
  const [newest, before] = [met, known].map((counts) => byCount(counts).filter(isOpen));
  for (const [reason, count] of byCount(standing ?? {})) take(reason, count);
  for (const [reason, count] of newest ?? []) take(reason, count);
  for (const [reason, count] of before ?? []) take(reason, count - (met[reason] ?? 0));
  // More wait than both have met: most likely for what most others wait for.
  const [first] = byCount(sums).find(isOpen) ?? newest?.[0] ?? before?.[0] ?? byCount(sums)[0] ?? [];
  if (first !== undefined) take(first, left);
  return sums as Reasons;
}

function byCount(counts: Readonly<Record<string, number | undefined>>): readonly [string, number][] {
  return Object.entries(counts)
    .map(([reason, count = 0]): [string, number] => [reason, count])
    .toSorted(([oneReason, one], [otherReason, other]) =>
      one === other ? oneReason.localeCompare(otherReason) : other - one,
    );
}
