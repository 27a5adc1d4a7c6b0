/** Counts what a page or a window did with each kind of failure. */
import type { DlqId } from "../message/dead-letter.ts";
import type { FailureKind } from "../message/failure-kind.ts";
import { isAgainId, toAgainId, type FailureCount, type FailureCounts } from "../contracts/failures.ts";
import type { Letter } from "../page/letter.ts";

type HourName = "arrived" | "arrivedDone" | "expires" | "expiresDone";
type NamedName = "ruled" | "failedAgainOf" | "taken";
type PartsName = HourName | NamedName;
type TimeName = "lastArrivedAt" | "firstAt" | "oldestAt";
type CountName = Exclude<keyof FailureCount, PartsName | TimeName>;

interface Part {
  readonly name: string;
  count: number;
}

/** Counts by hour or by rule. Neighbours mostly have the part of the one before them: it is found first. */
interface Parts {
  readonly all: Map<string, Part>;
  last: Part | null;
}

type Counter = { [Name in CountName | TimeName]?: number } & { [Name in PartsName]?: Parts };

export interface MetKind {
  readonly kind: FailureKind;
  readonly sample: string | null;
  /** The sample is still in the queue, as far as its page knows. */
  readonly stays?: true;
}

export interface FailureTally {
  /** `sample`: the record, null if it has no id. */
  add(kind: FailureKind, sample: string | null, name: CountName, count?: number): void;
  /** `at`: of its entry or its expiry, Unix ms. */
  byHour(kind: FailureKind, sample: string, at: number, name: HourName, count?: number): void;
  /** It is left in the queue, which it entered at this time, Unix ms. */
  left(kind: FailureKind, sample: string, at: number): void;
  /** `part`: what a rule does and its name; the id of another kind; its entry. */
  named(kind: FailureKind, sample: string, name: NamedName, part: string): void;
  /** A come-back, by its kind and the one that was sent. */
  failedAgain(letter: Pick<Letter, "dlqId" | "failure" | "parentFailure">): void;
  /** This dead letter stays in the queue: it is a better sample than one that was published. */
  stays(kind: FailureKind, sample: string): void;
  /** Counted as arrived, of those that other drains list too. */
  readonly shared: Set<DlqId>;
  /** Adds all that another one counted, but for those. */
  merge(other: FailureTally): void;
  /** All that it has counted; it goes on with nothing. */
  take(): FailureTally;
  /** For merge. */
  readonly counters: ReadonlyMap<string, Counter>;
  kinds(): readonly MetKind[];
  /** By the ids under which the kinds are recorded. */
  counts(idOf: (id: string) => string): FailureCounts;
}

const hourMs = 3_600_000;

function keyOf({ id, isAgain }: FailureKind): string {
  return isAgain === true ? toAgainId(id) : id;
}

let lastHour = NaN;
let lastHourName = "";

/** Hours since 1970. Dead letters of a page mostly entered in one. */
function toHour(at: number): string {
  const hour = Math.floor(at / hourMs);
  if (hour !== lastHour) {
    lastHour = hour;
    lastHourName = String(hour);
  }
  return lastHourName;
}

export function createFailureTally(shared = new Set<DlqId>()): FailureTally {
  const counts = new Map<string, Counter>();
  const kinds = new Map<string, MetKind>();
  // One dead letter is counted several times in a row.
  let last: { readonly kind: FailureKind; readonly counter: Counter } | null = null;
  const findCounter = (kind: FailureKind, sample: string | null): Counter => {
    const counter = counts.get(keyOf(kind)) ?? newCounter(kind, sample);
    last = { kind, counter };
    return counter;
  };
  const newCounter = (kind: FailureKind, sample: string | null): Counter => {
    const counter: Counter = {};
    counts.set(keyOf(kind), counter);
    kinds.set(keyOf(kind), { kind, sample });
    return counter;
  };
  const add: FailureTally["add"] = (kind, sample, name, count = 1) => {
    const counter = last?.kind === kind ? last.counter : findCounter(kind, sample);
    counter[name] = (counter[name] ?? 0) + count;
  };
  const named: FailureTally["named"] = (kind, sample, name, part) => {
    const counter = last?.kind === kind ? last.counter : findCounter(kind, sample);
    addPart((counter[name] ??= noParts()), part, 1);
  };
  return {
    shared,
    add,
    named,
    failedAgain({ dlqId, failure, parentFailure }) {
      add(failure, dlqId, "failedAgain");
      if (parentFailure !== null && parentFailure !== failure.id) {
        named(failure, dlqId, "failedAgainOf", parentFailure);
      }
    },
    byHour(kind, sample, at, name, count = 1) {
      const counter = last?.kind === kind ? last.counter : findCounter(kind, sample);
      addPart((counter[name] ??= noParts()), toHour(at), count);
      if (name !== "arrived" || count < 0) return;
      counter.lastArrivedAt = Math.max(counter.lastArrivedAt ?? 0, at);
      counter.firstAt = Math.min(counter.firstAt ?? at, at);
    },
    left(kind, sample, at) {
      const counter = last?.kind === kind ? last.counter : findCounter(kind, sample);
      counter.oldestAt = Math.min(counter.oldestAt ?? at, at);
    },
    stays(kind, sample) {
      findCounter(kind, sample);
      kinds.set(keyOf(kind), { kind, sample, stays: true });
    },
    merge(other) {
      for (const met of other.kinds()) {
        addCounter(findCounter(met.kind, met.sample), other.counters.get(keyOf(met.kind)) ?? {});
        if (met.stays === true) kinds.set(keyOf(met.kind), met);
      }
    },
    take() {
      const taken = createFailureTally();
      taken.merge(this);
      counts.clear();
      kinds.clear();
      last = null;
      return taken;
    },
    counters: counts,
    kinds: () => [...kinds.values()],
    counts(idOf) {
      const recorded = new Map<string, Counter>();
      const addTo = (id: string, counter: Counter): void => {
        const sum = recorded.get(id) ?? {};
        recorded.set(id, sum);
        addCounter(sum, counter);
      };
      for (const [key, counter] of counts) {
        const isAgain = isAgainId(key);
        const id = idOf(isAgain ? key.slice(1) : key);
        addTo(id, counter);
        if (isAgain) addTo(toAgainId(id), counter);
      }
      return Object.fromEntries([...recorded].map(([id, counter]) => [id, toCount(counter)]));
    },
  };
}

const partsNames = [
  "arrived",
  "arrivedDone",
  "ruled",
  "failedAgainOf",
  "expires",
  "expiresDone",
  "taken",
] as const satisfies readonly PartsName[];
// The compiler asks for each that is new.
const countNames = Object.keys({
  seen: true,
  parkedBefore: true,
  parked: true,
  published: true,
  dropped: true,
  discarded: true,
  failedAgain: true,
  cameBack: true,
} satisfies Record<CountName, true>) as readonly CountName[];

/** Each page is added to its window, so nothing is copied here. */
function addCounter(sum: Counter, given: Counter): void {
  for (const name of countNames) {
    const count = given[name];
    if (count !== undefined) sum[name] = (sum[name] ?? 0) + count;
  }
  for (const name of partsNames) {
    const parts = given[name];
    if (parts === undefined) continue;
    const own = (sum[name] ??= noParts());
    for (const part of parts.all.values()) addPart(own, part.name, part.count);
  }
  const { lastArrivedAt } = given;
  if (lastArrivedAt !== undefined) sum.lastArrivedAt = Math.max(sum.lastArrivedAt ?? 0, lastArrivedAt);
  for (const name of ["firstAt", "oldestAt"] as const) {
    const at = given[name];
    if (at !== undefined) sum[name] = Math.min(sum[name] ?? at, at);
  }
}

function noParts(): Parts {
  return { all: new Map(), last: null };
}

function addPart(parts: Parts, name: string, count: number): void {
  if (parts.last?.name !== name) {
    parts.last = parts.all.get(name) ?? { name, count: 0 };
    parts.all.set(name, parts.last);
  }
  parts.last.count += count;
}

function toCount({
  arrived,
  arrivedDone,
  ruled,
  failedAgainOf,
  expires,
  expiresDone,
  taken,
  ...counts
}: Counter): FailureCount {
  const named = { arrived, arrivedDone, ruled, failedAgainOf, expires, expiresDone, taken };
  const parts = Object.entries(named).flatMap(([name, given]) =>
    given === undefined ? [] : [[name, toRecord(given)]],
  );
  return { ...counts, ...(Object.fromEntries(parts) as Pick<FailureCount, PartsName>) };
}

function toRecord({ all }: Parts): Readonly<Record<string, number>> {
  return Object.fromEntries([...all.values()].map(({ name, count }) => [name, count]));
}
