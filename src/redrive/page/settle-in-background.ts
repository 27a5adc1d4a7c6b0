export type BackgroundSettle = ReturnType<typeof createBackgroundSettle>;

/**
 * Runs deletes of published records beside what is published and listed next, which saves one wait per page.
 * Only one page's deletes run at a time, so at most two pages are published and not yet deleted.
 */
export function createBackgroundSettle() {
  let deleted = 0;
  let hasBegun = false;
  let running: Promise<void> = Promise.resolve();
  return {
    /** Starts this settle after the previous one has ended, and resolves then. */
    async add(settle: () => Promise<number>): Promise<void> {
      hasBegun = true;
      await running;
      running = (async () => {
        const count = await settle();
        deleted += count;
      })();
      // The next wait reports a failure.
      running.catch(() => undefined);
    },
    hasBegun: (): boolean => hasBegun,
    /** Dead letters deleted since the last call. */
    takeDeleted(): number {
      const taken = deleted;
      deleted = 0;
      return taken;
    },
    /** Resolves when every settle has ended; rejects with the first failure. */
    ended: (): Promise<void> => running,
  };
}
