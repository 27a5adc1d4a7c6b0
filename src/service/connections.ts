import type { Connection } from "./connection.ts";

/** A bounded set of connections. The one used last is used next, so that the others can fall idle and close. */
export interface Connections {
  /** WaitBudget for a free one; undefined when the signal aborts first. */
  acquire(signal: AbortSignal): Promise<Connection | undefined>;
  /** Gives one back that is ready for the next call. */
  release(connection: Connection): void;
  /** Resets one that is not, and makes room for another. */
  discard(connection: Connection): void;
  close(): Promise<void>;
}

export function createConnections(max: number, make: () => Connection): Connections {
  const idle: Connection[] = [];
  const waiting: ((connection: Connection) => void)[] = [];
  let count = 0;
  let closed = false;

  const offer = (connection: Connection): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };

  return {
    async acquire(signal) {
      if (signal.aborted || closed) return undefined;
      const free = idle.pop();
      if (free !== undefined) return free;
      if (count < max) {
        count += 1;
        return make();
      }
      return new Promise((resolve) => {
        const take = (connection: Connection): void => {
          signal.removeEventListener("abort", leave);
          resolve(connection);
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(take), 1);
          resolve(undefined);
        };
        waiting.push(take);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
    release(connection) {
      if (closed) connection.reset();
      else offer(connection);
    },
    discard(connection) {
      connection.reset();
      if (waiting.length > 0 && !closed) offer(make());
      else count -= 1;
    },
    async close() {
      closed = true;
      await Promise.all(idle.splice(0).map((connection) => connection.close()));
    },
  };
}
