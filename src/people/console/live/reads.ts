/** What pages read again and again, read once a second at most for all who look. */
import type { Core } from "../../../job/door.ts";
import { BoundedMap } from "../../../bounded-map.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { viewFailures } from "../../read/read-failures.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { readAllArrivals } from "../../operations/failures/arrivals.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import type { QueueFacts } from "../../../job/contracts/queue-facts.ts";
import { createRulesInForce, type RulesInForce } from "./rules-in-force.ts";
import { readStatus, type Status } from "../../operations/status/read.ts";

export interface Reads {
  readonly status: () => Promise<Status>;
  /** Every kind of failure, by trouble. */
  readonly failures: () => Promise<readonly FailureView[]>;
  /** Of every kind by its id, by source. */
  readonly arrivals: () => ReturnType<typeof readAllArrivals>;
  /** What one page alone reads, at most every fifteen seconds. `key`: what is read, with what it is read for. */
  readonly kept: <Answer>(key: string, read: () => Promise<Answer>) => Promise<Answer>;
  /** Of persons, by source. */
  readonly pauses: () => Promise<ReadonlyMap<SourceId, readonly PauseRecord[]>>;
  /** As the passes have counted them. */
  readonly facts: () => Promise<QueueFacts>;
  /** Null: not known here. */
  readonly rules: () => RulesInForce | null;
  /** After an act, so that its own page shows it. */
  readonly forget: () => void;
}

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

export function createReads({ current, nextRuns, now }: ReadsParts): Reads {
  const kept = new BoundedMap<string, Kept>(maxKept);
  const arrivals = shared(now, () => readAllArrivals(current()), arrivalsMaxAgeMs);
  // The largest read. Pages of every kind that are shown together share it.
  const facts = shared(now, () => readQueueFacts(current()));
  const pauses = shared(now, () => readPauses(current()));
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
    arrivals: arrivals.read,
    failures: failures.read,
    pauses: pauses.read,
    status: status.read,
    kept<Answer>(key: string, read: () => Promise<Answer>): Promise<Answer> {
      const one = kept.get(key) ?? createKept(read);
      // Of another document by now, or for another state.
      one.read = read;
      kept.set(key, one);
      return one.shared.read() as Promise<Answer>;
    },
    forget() {
      for (const one of [arrivals, failures, pauses, facts, status]) one.forget();
      kept.clear();
    },
    facts: facts.read,
    rules: createRulesInForce(current, now),
  };
}

async function readPauses({ sources }: Pick<Core, "sources">) {
  const all = [...sources].map(async ([id, source]) => [id, await source.pauses.all()] as const);
  return new Map(await Promise.all(all));
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
