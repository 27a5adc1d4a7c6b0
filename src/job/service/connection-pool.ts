import type { ServiceConnection } from "./connection.ts";

export type ServiceConnections = ReturnType<typeof createConnections>;

/**
 * The connections of one source. The one used last is used next, so that others fall idle and close. Their
 * number is that of the calls at once, which `job/source/calls-in-turn.ts` limits.
 */
export function createConnections(make: () => ServiceConnection) {
  const idle: ServiceConnection[] = [];
  let closed = false;

  return {
    acquire: (): ServiceConnection => idle.pop() ?? make(),
    release(connection: ServiceConnection): void {
      if (closed) connection.reset();
      else idle.push(connection);
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all(idle.splice(0).map((connection) => connection.close()));
    },
  };
}
