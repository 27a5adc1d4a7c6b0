/** What pages read again and again, read once a second at most for all who look. */
import type { Core } from "../../../job/door.ts";
import { BoundedMap } from "../../../bounded-map.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { viewFailures } from "../../read/read-failures.ts";
import { mapEach } from "../../../group-items-by-key.ts";
import { readAllArrivals } from "../../operations/failures/arrivals.ts";
import { createRulesInForce } from "./rules-in-force.ts";
import { readStatus } from "../../operations/status/read.ts";

export type Reads = ReturnType<typeof createReads>;

interface ReadsParts {
  readonly current: () => Core;
  readonly nextRuns: () => Promise<ReadonlyMap<string, number>>;
  readonly now: () => number;
}

const maxAgeMs = 1_000;
/** Of the audit: it costs much, and nobody waits for its last second. */
const slowMaxAgeMs = 15_000;
/** Hours of every kind cost more than all else, and one minute of an hour changes no picture. */
const arrivalsMaxAgeMs = 60_000;
const maxKept = 200;

export function createReads({ current, nextRuns, now }: ReadsParts) {
  const kept = new BoundedMap<string, Kept>(maxKept);
  const arrivals = shared(now, () => readAllArrivals(current()), arrivalsMaxAgeMs);
  // The largest read. Pages of every kind that are shown together share it.
  const facts = shared(now, () => readQueueFacts(current()));
  const pauses = shared(now, () => mapEach(current().sources, (source) => source.pauses.all()));
  const failures = shared(now, async () => viewFailures(current(), await facts.read(), now()));
  const status = shared(now, async () => {
    const [runs, known] = await Promise.all([nextRuns(), facts.read()]);
    return readStatus(current(), { nextRuns: runs, problems: 0, now: now(), facts: known });
  });
  const createKept = (read: Kept["read"]): Kept => {
    const one: Kept = { read, shared: shared(now, () => one.read(), slowMaxAgeMs) };
    return one;
  };
  return {
    /** Of every kind by its id, by source. */
    arrivals: arrivals.read,
    failures: failures.read,
    /** Of persons, by source. */
    pauses: pauses.read,
    status: status.read,
    /** What one page alone reads, at most every fifteen seconds. `key`: what is read, with what it is read for. */
    kept<Answer>(key: string, read: () => Promise<Answer>): Promise<Answer> {
      const one = kept.get(key) ?? createKept(read);
      // Of another document by now, or for another state.
      one.read = read;
      kept.set(key, one);
      return one.shared.read() as Promise<Answer>;
    },
    /** After an act, so that its own page shows it. */
    forget() {
      for (const one of [arrivals, failures, pauses, facts, status]) one.forget();
      kept.clear();
    },
    /** As the passes have counted them. */
    facts: facts.read,
    /** Null: not known here. */
    rules: createRulesInForce(current, now),
  };
}

interface Shared<Answer> {
  readonly read: () => Promise<Answer>;
  readonly forget: () => void;
}

interface Kept {
  read: () => Promise<unknown>;
  readonly shared: Shared<unknown>;
}

/** At most one read at a time; its answer serves all for that long. A failure is asked again at once. */
export function shared<Answer>(
  now: () => number,
  read: () => Promise<Answer>,
  ageMs = maxAgeMs,
): Shared<Answer> {
  let latest: { readonly answer: Promise<Answer>; readonly at: number } | null = null;
  return {
    read() {
      const age = latest === null ? Infinity : now() - latest.at;
      if (latest !== null && age >= 0 && age < ageMs) return latest.answer;
      const answer = read();
      const own = { answer, at: now() };
      latest = own;
      answer.catch(() => {
        if (latest === own) latest = null;
      });
      return answer;
    },
    forget() {
      latest = null;
    },
  };
}
