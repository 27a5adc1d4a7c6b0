import type { Ledger } from "../contracts/ledger.ts";

/** Begins nothing new while Redis has no room: the rest of the memory serves facts, deletes and what was begun. */
export function beginOnlyWithRoom(ledger: Ledger, hasRoom: () => Promise<boolean>): Ledger {
  return {
    ...ledger,
    async begin(requests, options) {
      if (options.previous !== undefined || (await hasRoom())) return ledger.begin(requests, options);
      return { ...(await ledger.now()), kind: "ledger-full" };
    },
  };
}
