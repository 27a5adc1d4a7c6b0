import type { ParkedSearch } from "../../operations/parked/find-parked.ts";
import type { Stop } from "../input/stop-on-signals.ts";
import type { Io } from "../io.ts";
import { createProgressLine } from "../output/progress.ts";

/** A short listing ends before anybody asks how far it is. */
const silentUntil = 1_000;

/** Shows on stderr how many records of the queue were listed, while `search` goes on. */
export async function showListed<Result>(
  io: Io,
  stop: Stop,
  search: (by: ParkedSearch) => Promise<Result>,
): Promise<Result> {
  const line = createProgressLine(io);
  const onListed = (listed: number): void => {
    if (listed >= silentUntil) line.show(`${listed} listed`);
  };
  try {
    return await search({ ...stop, onListed });
  } finally {
    line.end();
  }
}
