import type { SourceId } from "../contracts/ids.ts";
import type { ReplicaRecord, Replicas } from "../contracts/replicas.ts";

export type PeerReplicas = ReturnType<typeof createPeerReplicas>;

/** Facts about the other living replicas. Fails with `redis-unavailable`. */
export function createPeerReplicas(replicas: Pick<Replicas, "all">, self: string) {
  const all = async (): Promise<readonly ReplicaRecord[]> =>
    (await replicas.all()).filter(({ replica }) => replica !== self);
  const hashes = async (): Promise<readonly string[]> => (await all()).map((one) => one.documentHash);
  return {
    living: async () => (await all()).length + 1,
    workUnder: async (documentHash: string) => (await hashes()).includes(documentHash),
    workUnderAnother: async (documentHash: string) => (await hashes()).some((hash) => hash !== documentHash),
    /** True if one works under this document and has not reported a halt of this source. */
    mayCall: async (source: SourceId, documentHash: string) =>
      (await all()).some(
        (one) =>
          one.documentHash === documentHash &&
          !one.resting.some((rest) => rest.source === source && rest.state === "halted"),
      ),
  };
}
