import { hourMs } from "../listing/record-dates.ts";
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

interface Counter {
  readonly counts: { [Name in CountName]?: number };
  readonly parts: { [Name in PartsName]?: Parts };
  readonly times: { [Name in TimeName]?: number };
}

export interface MetKind {
  readonly kind: FailureKind;
  readonly sample: string | null;
  /** The sample is still in the queue, as far as its page knows. */
  readonly stays?: true;
}

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

/** Each dead letter comes with its kind, and as a sample of it; null: it has no id. */
export class FailureTally {
  /** Counted as arrived, of those that other drains list too. */
  readonly shared: Set<DlqId>;
  readonly #counters = new Map<string, Counter>();
  readonly #kinds = new Map<string, MetKind>();
  /** One dead letter is counted several times in a row: then no other is looked for. */
  #last: { readonly kind: FailureKind; readonly counter: Counter } | null = null;

  constructor(shared = new Set<DlqId>()) {
    this.shared = shared;
  }

  #find(kind: FailureKind, sample: string | null): Counter {
    const key = keyOf(kind);
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      counter = { counts: {}, parts: {}, times: {} };
      this.#counters.set(key, counter);
      this.#kinds.set(key, { kind, sample });
    }
    this.#last = { kind, counter };
    return counter;
  }

  add(kind: FailureKind, sample: string | null, name: CountName, count = 1): void {
    const { counts } = this.#last?.kind === kind ? this.#last.counter : this.#find(kind, sample);
    counts[name] = (counts[name] ?? 0) + count;
  }

  /** `at`: of its entry or its expiry, Unix ms. */
  byHour(kind: FailureKind, sample: string, at: number, name: HourName, count = 1): void {
    const { parts, times } = this.#last?.kind === kind ? this.#last.counter : this.#find(kind, sample);
    addPart((parts[name] ??= noParts()), toHour(at), count);
    if (name !== "arrived" || count < 0) return;
    times.lastArrivedAt = Math.max(times.lastArrivedAt ?? 0, at);
    times.firstAt = Math.min(times.firstAt ?? at, at);
  }

  /** It is left in the queue, which it entered at this time, Unix ms. */
  left(kind: FailureKind, sample: string, at: number): void {
    const { times } = this.#last?.kind === kind ? this.#last.counter : this.#find(kind, sample);
    times.oldestAt = Math.min(times.oldestAt ?? at, at);
  }

  /** `part`: what a rule does and its name; the id of another kind; its entry. */
  named(kind: FailureKind, sample: string, name: NamedName, part: string): void {
    const { parts } = this.#last?.kind === kind ? this.#last.counter : this.#find(kind, sample);
    addPart((parts[name] ??= noParts()), part, 1);
  }

  /** A come-back, by its kind and the one that was sent. */
  failedAgain({ dlqId, failure, parentFailure }: Pick<Letter, "dlqId" | "failure" | "parentFailure">): void {
    this.add(failure, dlqId, "failedAgain");
    if (parentFailure === null || parentFailure === failure.id) return;
    this.named(failure, dlqId, "failedAgainOf", parentFailure);
  }

  /** This dead letter stays in the queue: it is a better sample than one that was published. */
  stays(kind: FailureKind, sample: string): void {
    this.#find(kind, sample);
    this.#kinds.set(keyOf(kind), { kind, sample, stays: true });
  }

  /** Adds all that another one counted, but for `shared`. */
  merge(other: FailureTally): void {
    for (const [key, met] of other.#kinds) {
      addCounter(this.#find(met.kind, met.sample), other.#counters.get(key)!);
      if (met.stays === true) this.#kinds.set(key, met);
    }
  }

  /** All that it has counted; it goes on with nothing. */
  take(): FailureTally {
    const taken = new FailureTally();
    taken.merge(this);
    this.#counters.clear();
    this.#kinds.clear();
    this.#last = null;
    return taken;
  }

  kinds(): readonly MetKind[] {
    return [...this.#kinds.values()];
  }

  /** By the ids under which the kinds are recorded. */
  counts(idOf: (id: string) => string): FailureCounts {
    const recorded = new Map<string, Counter>();
    const addTo = (id: string, counter: Counter): void => {
      const sum = recorded.get(id) ?? { counts: {}, parts: {}, times: {} };
      recorded.set(id, sum);
      addCounter(sum, counter);
    };
    for (const [key, counter] of this.#counters) {
      const isAgain = isAgainId(key);
      const id = idOf(isAgain ? key.slice(1) : key);
      addTo(id, counter);
      if (isAgain) addTo(toAgainId(id), counter);
    }
    return Object.fromEntries([...recorded].map(([id, counter]) => [id, toCount(counter)]));
  }
}

/** Each page is added to its window, so nothing is copied here. */
function addCounter(sum: Counter, { counts, parts, times }: Counter): void {
  for (const name of keysOf(counts)) sum.counts[name] = (sum.counts[name] ?? 0) + (counts[name] ?? 0);
  for (const name of keysOf(parts)) {
    const own = (sum.parts[name] ??= noParts());
    for (const part of parts[name]!.all.values()) addPart(own, part.name, part.count);
  }
  for (const name of keysOf(times)) {
    const [own, at] = [sum.times[name] ?? times[name]!, times[name]!];
    sum.times[name] = name === "lastArrivedAt" ? Math.max(own, at) : Math.min(own, at);
  }
}

function keysOf<Key extends string>(record: { [Name in Key]?: unknown }): readonly Key[] {
  return Object.keys(record) as Key[];
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

function toCount({ counts, parts, times }: Counter): FailureCount {
  const named = Object.entries(parts).map(([name, { all }]) => {
    return [name, Object.fromEntries([...all.values()].map((one) => [one.name, one.count]))];
  });
  return { ...counts, ...times, ...(Object.fromEntries(named) as Pick<FailureCount, PartsName>) };
}
