/**
 * Places at which this process may be made to end. A failpoint is `<job>/<port>.<method>:<moment>`; `#3`
 * behind it means the third time that it is passed. Moments:
 *
 *   before ──► the effect ──► after      the effect has happened, and nobody has seen the answer
 *               ├─ last-byte             of a publish: everything but its last byte has left
 *               ├─ half                  of a write: half of the bytes are in the file
 *               └─ in-flight             the other side has acted and withholds its answer
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { openSync, writeSync } from "node:fs";

export interface Failpoints {
  /** Ends here, or goes on. */
  pass(place: string): void;
  /**
   * Whether this passing of `<place>:in-flight` is the one to end in; then the other side is made to withhold
   * its answer.
   */
  passInFlight(place: string): Promise<void>;
  /** Work that is begun inside belongs to this kind of job. */
  within<Answer>(job: string, work: () => Promise<Answer>): Promise<Answer>;
}

export interface FailpointParts {
  /** Such as `window/ledger.begin:before#3`; undefined: none. */
  readonly target: string | undefined;
  /** Every passing is appended to this file, a line each. */
  readonly recordFile: string | undefined;
  /** Called at the target: dies, or sends itself a signal and goes on until it is stopped. */
  readonly end: () => void;
  /** Resolves once whoever answers `place` will withhold it and end this process. */
  readonly withhold: (place: string) => Promise<void>;
}

export function createFailpoints({ target, recordFile, end, withhold }: FailpointParts): Failpoints {
  const record = recordFile === undefined ? null : openSync(recordFile, "a");
  const jobs = new AsyncLocalStorage<string>();
  const passed = new Map<string, number>();

  /** Whether this passing is the target. */
  const isReached = (place: string): boolean => {
    const name = `${jobs.getStore() ?? "daemon"}/${place}`;
    const count = (passed.get(name) ?? 0) + 1;
    passed.set(name, count);
    if (record !== null) writeSync(record, `${name}\n`);
    return `${name}#${count}` === target;
  };
  return {
    pass(place) {
      if (isReached(place)) end();
    },
    async passInFlight(place) {
      if (isReached(`${place}:in-flight`)) await withhold(place);
    },
    within: (job, work) => jobs.run(job, work),
  };
}

/** At this instant: nothing that is queued in this process happens any more. */
export function die(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal is delivered before the call above returns; should it not be, nothing happens here either.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
