import type { ServiceConnection } from "./connection.ts";

export type ServiceConnections = ReturnType<typeof createConnections>;

/** A bounded set of connections. The one used last is used next, so that others fall idle and close. */
export function createConnections(max: number, make: () => ServiceConnection) {
  const idle: ServiceConnection[] = [];
  const waiting: ((connection: ServiceConnection) => void)[] = [];
  let count = 0;
  let closed = false;

  const offer = (connection: ServiceConnection): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(connection);
    else next(connection);
  };

  return {
    /** Waits for a free one; undefined when the signal aborts first. */
    async acquire(signal: AbortSignal): Promise<ServiceConnection | undefined> {
      if (signal.aborted || closed) return undefined;
      const free = idle.pop();
      if (free !== undefined) return free;
      if (count < max) {
        count += 1;
        return make();
      }
      return new Promise((resolve) => {
        const take = (connection: ServiceConnection): void => {
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
    /** Gives one back that is ready for the next call. */
    release(connection: ServiceConnection): void {
      if (closed) connection.reset();
      else offer(connection);
    },
    /** Resets one that is not, and makes room for another. */
    discard(connection: ServiceConnection): void {
      connection.reset();
      if (waiting.length > 0 && !closed) offer(make());
      else count -= 1;
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all(idle.splice(0).map((connection) => connection.close()));
    },
  };
}
