import type { Clock } from "../../../src/ports/clock.ts";
import type { ReplicaRecord, Replicas } from "../../../src/ports/replicas.ts";
import { replicaLifeMs } from "../../../src/store/replicas/replica-life.ts";

/** The living daemons, as one process knows them. */
export function createMemoryReplicas(clock: Pick<Clock, "now">): Replicas {
  const records = new Map<string, ReplicaRecord>();
  return {
    announce: (record) => {
      records.set(record.replica, { ...record, seenAt: clock.now() });
      return Promise.resolve();
    },
    leave: (replica) => {
      records.delete(replica);
      return Promise.resolve();
    },
    all: () => {
      const living = [...records.values()].filter(({ seenAt }) => clock.now() - seenAt < replicaLifeMs);
      return Promise.resolve(living.toSorted((one, other) => (one.replica < other.replica ? -1 : 1)));
    },
  };
}
