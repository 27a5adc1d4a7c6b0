const perWindow = 8;
/** A page takes two calls more than its listing, so eight windows list as fast as their pages are worked. */
const perSource = 24;

export type PagesInFlight = ReturnType<typeof createPagesInFlight>;

/** A window lists ahead if it has a place and memory. One without a page always lists: none waits for another. */
export function createPagesInFlight(limits = { perWindow, perSource }) {
  let ofSource = 0;
  return {
    ofWindow(hasMemory: () => boolean) {
      const running = new Set<Promise<void>>();
      const failure = new AbortController();
      const failed = failure.signal;
      const hasPlace = (): boolean =>
        running.size === 0 || (running.size < limits.perWindow && ofSource < limits.perSource && hasMemory());
      const run = async (work: () => Promise<void>): Promise<void> => {
        ofSource += 1;
        try {
          await work();
        } catch (error) {
          failure.abort(error);
        } finally {
          ofSource -= 1;
        }
      };
      return {
        failed,
        fail: (error: unknown) => failure.abort(error),
        begin(work: () => Promise<void>): void {
          const one = run(work).finally(() => running.delete(one));
          running.add(one);
        },
        /** Waits until the next page may be listed. Throws the first failure. */
        async mayListNext(): Promise<void> {
          while (!failed.aborted && !hasPlace()) await Promise.race(running);
          failed.throwIfAborted();
        },
        async ended(): Promise<void> {
          await Promise.all(running);
          failed.throwIfAborted();
        },
      };
    },
  };
}
