import type { SourceId } from "../ports/ids.ts";
import type { ReplicaRecord, Replicas } from "../ports/replicas.ts";

/** Facts about the other living replicas. Fails with `redis-unavailable`. */
export interface PeerReplicas {
  /** Number of living replicas, this one included. */
  living(): Promise<number>;
  workUnder(documentHash: string): Promise<boolean>;
  workUnderAnother(documentHash: string): Promise<boolean>;
  /** True if one works under this document and has not reported a halt of this source. */
  mayCall(source: SourceId, documentHash: string): Promise<boolean>;
}

export function createPeerReplicas(replicas: Pick<Replicas, "all">, self: string): PeerReplicas {
  const all = async (): Promise<readonly ReplicaRecord[]> =>
    (await replicas.all()).filter(({ replica }) => replica !== self);
  const hashes = async (): Promise<readonly string[]> => (await all()).map((one) => one.documentHash);
  return {
    living: async () => (await all()).length + 1,
    workUnder: async (documentHash) => (await hashes()).includes(documentHash),
    workUnderAnother: async (documentHash) => (await hashes()).some((hash) => hash !== documentHash),
    mayCall: async (source, documentHash) =>
      (await all()).some(
        (one) =>
          one.documentHash === documentHash &&
          !one.resting.some((rest) => rest.source === source && rest.state === "halted"),
      ),
  };
}
