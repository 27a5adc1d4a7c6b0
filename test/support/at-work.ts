import { createPagesInFlight, type PagesInFlight } from "../../src/job/pass/pages-in-flight.ts";
import type { Knobs } from "./knobs.ts";

/** At most: windows, and pages of one window, that were at work at once. */
export interface AtWork {
  readonly windows: number;
  readonly pages: number;
}

export type AtWorkMeter = ReturnType<typeof createAtWork>;

/** Counts what is at work. `onMore` is called with each new maximum. */
export function createAtWork(onMore: (most: AtWork) => void = () => undefined) {
  const most = { windows: 0, pages: 0 };
  const countOf = (what: keyof AtWork) => {
    let now = 0;
    return async <Result>(work: () => Promise<Result>): Promise<Result> => {
      now += 1;
      if (now > most[what]) {
        most[what] = now;
        onMore({ ...most });
      }
      try {
        return await work();
      } finally {
        now -= 1;
      }
    };
  };
  return {
    most: (): AtWork => ({ ...most }),
    /** Around the work of each window of one worker. */
    ofWorker: () => countOf("windows"),
    pagesInFlight(limits?: Knobs["pagesInFlight"]): PagesInFlight {
      const { ofWindow } = createPagesInFlight(limits);
      return {
        ofWindow(hasMemory) {
          const count = countOf("pages");
          const flight = ofWindow(hasMemory);
          return { ...flight, begin: (work) => flight.begin(() => count(work)) };
        },
      };
    },
  };
}
