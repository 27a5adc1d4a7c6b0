/** What lanes and people did while a chart runs, newest first, from a bounded part of the audit. */
import { laneActs, type AuditAct, type AuditEntry, type AuditReader } from "../../job/contracts/audit.ts";
import type { LaneMove } from "../../job/contracts/lanes.ts";

export interface ChartMark extends Pick<AuditEntry, "at" | "act" | "by" | "drain"> {
  readonly origin: LaneMove["origin"] | null;
}

/** Of an outage the lanes write far less; a page of Redis has a hundred. */
const maxRead = 5_000;
const maxMarks = 60;

const acts: ReadonlySet<AuditAct> = new Set([
  ...laneActs.filter((act) => act !== "lane-opened"),
  "pause",
  "resume",
  "apply",
  "release",
]);

/** `since`: Unix ms. Throws `redis-unavailable`. */
export async function readChartMarks(reader: AuditReader, since: number): Promise<readonly ChartMark[]> {
  const marks: ChartMark[] = [];
  let read = 0;
  for await (const entry of reader.read({
    order: "newest-first",
    since,
    skims: (act) => !acts.has(act),
  })) {
    read += 1;
    if (read > maxRead || marks.length === maxMarks) break;
    const { at, act, by, drain, lane, records } = entry;
    const didNothing = act === "apply" && records.length === 0;
    if (acts.has(act) && !didNothing) marks.push({ at, act, by, drain, origin: lane?.origin ?? null });
  }
  return marks;
}
