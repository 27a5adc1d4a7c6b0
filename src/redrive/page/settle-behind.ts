/**
 * Deletes of one page that go on while the next is listed and published: a call less to wait for per page.
 * Those of one page at a time, so that no more is published and not deleted than two pages have.
 */
export interface SettleBehind {
  /** Begins it when what was given before has ended; resolves then. */
  add(settle: () => Promise<number>): Promise<void>;
  /** Whether anything was given. */
  hasBegun(): boolean;
  /** How many were deleted since this was asked last. */
  takeDeleted(): number;
  /** Resolves when all has ended; rejects with what failed. */
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
      // Who waits for it next learns of a failure.
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
