import { RedriverError } from "../contracts/errors.ts";
import { onAbort } from "../contracts/on-abort.ts";

export interface Lease {
  readonly bytes: number;
  shrink(bytes: number): void;
  /** Gives back all of it. Safe to call twice. */
  release(): void;
}

/** One page each: some thousand messages. */
const maxPassed = 64;

interface Waiting {
  readonly bytes: number;
  readonly grant: (lease: Lease) => void;
  passed: number;
}

export type ByteBudget = ReturnType<typeof createByteBudget>;

/**
 * The bytes of memory that all listing, parsing and publishing of this process shares. First come, first served. A
 * request for more than the total waits until half of it is free, and then nobody else is served. A bounded number
 * of others may pass it, so it delays nobody for long and its own wait ends.
 *
 * Two callers that hold a lease and wait for another could wait for each other. So a page has one lease for its
 * whole life, and a page within a page uses `tryAcquire`.
 */
export function createByteBudget(total: number) {
  let used = 0;
  const queue: Waiting[] = [];

  // Half in use is allowed: a listing that hangs in its answer must not make large records, and so everyone, wait.
  const hasRoom = (bytes: number): boolean => (bytes > total ? used <= total / 2 : used + bytes <= total);
  const take = (asked: number): Lease => {
    let bytes = asked;
    used += bytes;
    const resize = (to: number): void => {
      if (to >= bytes) return;
      used -= bytes - to;
      bytes = to;
      serve();
    };
    return {
      get bytes() {
        return bytes;
      },
      shrink: (to) => resize(Math.max(0, to)),
      release: () => resize(0),
    };
  };
  /** The index of the next request to serve: the first, or one that may pass those before it. */
  const nextOf = (isFree: (bytes: number) => boolean): number => {
    for (const [index, one] of queue.entries()) {
      if (isFree(one.bytes)) return index;
      if (one.bytes <= total || one.passed >= maxPassed) return -1;
    }
    return -1;
  };
  const pass = (before: number): void => {
    for (const one of queue.slice(0, before)) one.passed += 1;
  };
  const serve = (): void => {
    for (let index = nextOf(hasRoom); index >= 0; index = nextOf(hasRoom)) {
      pass(index);
      const [next] = queue.splice(index, 1);
      next?.grant(take(next.bytes));
    }
  };
  const tryAcquire = (bytes: number): Lease | null => {
    const mayPass = queue.every((one) => one.bytes > total && one.passed < maxPassed);
    if (!mayPass || !hasRoom(bytes) || (bytes > total && queue.length > 0)) return null;
    pass(queue.length);
    return take(bytes);
  };

  return {
    total,
    used: () => used,
    tryAcquire,
    /** Throws `stopped` if the signal aborts before its turn. */
    async acquire(bytes: number, signal: AbortSignal): Promise<Lease> {
      if (signal.aborted) throw stopped(signal);
      const taken = tryAcquire(bytes);
      if (taken !== null) return taken;
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(stopped(signal));
          // It may have delayed requests that fit.
          serve();
        };
        const leave = onAbort(signal, stop);
        const grant = (lease: Lease): void => {
          leave();
          resolve(lease);
        };
        const waiting: Waiting = { bytes, passed: 0, grant };
        queue.push(waiting);
      });
    },
  };
}

function stopped(signal: AbortSignal): RedriverError {
  return new RedriverError("stopped", "stopped before there was memory for a page", { cause: signal.reason });
}
