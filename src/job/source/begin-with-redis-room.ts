import type { Ledger } from "../contracts/ledger.ts";

/**
 * A ledger that begins nothing new while Redis has no room. The remaining memory serves facts, deletes, and
 * the next POST of an already begun record.
 */
export function beginOnlyWithRoom(ledger: Ledger, hasRoom: () => Promise<boolean>): Ledger {
  return {
    ...ledger,
    async begin(requests, options) {
      if (options.previous !== undefined || (await hasRoom())) return ledger.begin(requests, options);
      return { ...(await ledger.now()), kind: "ledger-full" };
    },
  };
}
