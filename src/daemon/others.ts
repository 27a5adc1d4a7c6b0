import type { Replicas } from "../ports/replicas.ts";

/** What this replica asks of the other living ones. Fails with `redis-unavailable`. */
export interface Others {
  workUnder(documentHash: string): Promise<boolean>;
  workUnderAnother(documentHash: string): Promise<boolean>;
}

export function createOthers(replicas: Pick<Replicas, "all">, self: string): Others {
  const hashes = async (): Promise<readonly string[]> =>
    (await replicas.all()).filter(({ replica }) => replica !== self).map((one) => one.documentHash);
  return {
    workUnder: async (documentHash) => (await hashes()).includes(documentHash),
    workUnderAnother: async (documentHash) => (await hashes()).some((hash) => hash !== documentHash),
  };
}
