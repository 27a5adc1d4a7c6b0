/**
 * Runs the deletes of one page while the next page is listed and published, which saves one wait per page. Only one page's
 * deletes run at a time, so at most two pages are published and not yet deleted.
 */
export interface SettleBehind {
  /** Starts this settle after the previous one has ended, and resolves then. */
  add(settle: () => Promise<number>): Promise<void>;
  /** True once a settle was added. */
  hasBegun(): boolean;
  /** Dead letters deleted since the last call. */
  takeDeleted(): number;
  /** Resolves when every settle has ended; rejects with the first failure. */
  ended(): Promise<void>;
}

export function createSettleBehind(): SettleBehind {
  let deleted = 0;
  let hasBegun = false;
  let running: Promise<void> = Promise.resolve();
  return {
    async add(settle) {
      hasBegun = true;
      await running;
      running = (async () => {
        const count = await settle();
        deleted += count;
      })();
      // The next wait reports a failure.
      running.catch(() => undefined);
    },
    hasBegun: () => hasBegun,
    takeDeleted() {
      const taken = deleted;
      deleted = 0;
      return taken;
    },
    ended: () => running,
  };
}
