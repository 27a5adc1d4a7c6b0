import type { Ledger } from "../../ports/ledger.ts";

/**
 * A ledger that begins nothing new while there is no room for it, so that what is begun can still be finished: facts are written and
 * dead letters settled from what is left. The next POST of what is held already goes on.
 */
export function withoutRoomForBegins(ledger: Ledger, hasRoom: () => Promise<boolean>): Ledger {
  return {
    ...ledger,
    async begin(requests, options) {
      if (options.previous !== undefined || (await hasRoom())) return ledger.begin(requests, options);
      return { ...(await ledger.now()), kind: "ledger-full" };
    },
  };
}
