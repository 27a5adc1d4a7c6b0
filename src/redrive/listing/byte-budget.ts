import { RedriverError } from "../../ports/errors.ts";

/** Part of a budget, until it is released. */
export interface Lease {
  readonly bytes: number;
  /** Gives back what is more than this. */
  shrink(bytes: number): void;
  /** Gives back all of it. Safe to call twice. */
  release(): void;
}

/**
 * Bytes that everything which lists, parses and publishes in this process shares. Served first come, first served, so that nobody
 * waits for ever: what asks for much holds up what asks for little behind it. What asks for more than there is waits until half of it is
 * free, and nobody is served beside it. So many others may pass it that it delays nobody for long, and waits for an end.
 *
 * Who holds a lease and waits for another may wait for somebody who does the same. So there is one lease a page, for all that
 * becomes of it, and what needs a page within a page takes it by `tryAcquire`.
 */
export interface ByteBudget {
  readonly total: number;
  used(): number;
  /** Throws `stopped` when the signal aborts before its turn. */
  acquire(bytes: number, signal: AbortSignal): Promise<Lease>;
  /** Null where it would have to wait. */
  tryAcquire(bytes: number): Lease | null;
}

/** A page each: some thousand messages. */
const maxPassed = 64;

interface Waiting {
  readonly bytes: number;
  readonly grant: (lease: Lease) => void;
  /** How many that came later were served before it. */
  passed: number;
}

export function createByteBudget(total: number): ByteBudget {
  let used = 0;
  const queue: Waiting[] = [];

  // Half of it in use: one listing that hangs in the middle of its answer must not keep large records, and with them all, waiting.
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
  /** Who may be served next: the first, or who may pass those before it. Passing counts. */
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
  /** Without waiting; null: it is not its turn. */
  const tryTake = (bytes: number): Lease | null => {
    const mayPass = queue.every((one) => one.bytes > total && one.passed < maxPassed);
    if (!mayPass || !hasRoom(bytes) || (bytes > total && queue.length > 0)) return null;
    pass(queue.length);
    return take(bytes);
  };

  return {
    total,
    used: () => used,
    tryAcquire: tryTake,
    async acquire(bytes, signal) {
      if (signal.aborted) throw stopped(signal);
      const taken = tryTake(bytes);
      if (taken !== null) return taken;
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          bytes,
          passed: 0,
          grant(lease: Lease): void {
            signal.removeEventListener("abort", stop);
            resolve(lease);
          },
        };
        const stop = (): void => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(stopped(signal));
          // It may have held up what fits.
          serve();
        };
        signal.addEventListener("abort", stop, { once: true });
        queue.push(waiting);
      });
    },
  };
}

function stopped(signal: AbortSignal): RedriverError {
  return new RedriverError("stopped", "stopped before there was memory for a page", { cause: signal.reason });
}
