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
 * waits for ever: what asks for much holds up what asks for little behind it. What asks for more than there is waits for all of it
 * and then goes alone.
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

export function createByteBudget(total: number): ByteBudget {
  let used = 0;
  const queue: { readonly bytes: number; readonly grant: (lease: Lease) => void }[] = [];

  const hasRoom = (bytes: number): boolean => used === 0 || used + bytes <= total;
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
  const serve = (): void => {
    for (let first = queue[0]; first !== undefined && hasRoom(first.bytes); first = queue[0]) {
      queue.shift();
      first.grant(take(first.bytes));
    }
  };

  return {
    total,
    used: () => used,
    tryAcquire: (bytes) => (queue.length === 0 && hasRoom(bytes) ? take(bytes) : null),
    async acquire(bytes, signal) {
      if (signal.aborted) throw stopped(signal);
      if (queue.length === 0 && hasRoom(bytes)) return take(bytes);
      return new Promise((resolve, reject) => {
        const waiting = {
          bytes,
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
