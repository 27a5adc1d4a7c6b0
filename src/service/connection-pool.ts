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
    /** A free one, or a new one; undefined if all are in use. */
    tryAcquire(): ServiceConnection | undefined {
      const free = idle.pop();
      if (free !== undefined || count >= max) return free;
      count += 1;
      return make();
    },
    /** Calls `take` with the next free one. Answers how to wait no longer. */
    wait(take: (connection: ServiceConnection) => void): () => void {
      waiting.push(take);
      return () => void waiting.splice(waiting.indexOf(take), 1);
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
