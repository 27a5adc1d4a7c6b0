/** What lanes and people did while a chart runs, newest first, from a bounded part of the audit. */
import { laneActs, type AuditAct, type AuditEntry, type AuditReader } from "../../job/contracts/audit.ts";
import { defined } from "../../job/message/defined.ts";
import type { LaneMove } from "../../job/contracts/lanes.ts";

export interface ChartMark extends Pick<AuditEntry, "at" | "act" | "by" | "drain" | "host"> {
  readonly origin: LaneMove["origin"] | null;
}

/** Of an outage the lanes write far less; a page of Redis has a hundred. */
const maxRead = 10_000;
const maxMarks = 60;
/** A person's order is written for one source after the other. */
const ofOneOrderMs = 5_000;

const acts: ReadonlySet<AuditAct> = new Set([
  ...laneActs.filter((act) => act !== "lane-opened"),
  "pause",
  "resume",
  "apply",
  "release",
]);

const skims = (act: AuditAct): boolean => !acts.has(act);

/** Each act once, as of its first entry. `since`: Unix ms. Throws `redis-unavailable`. */
export async function readChartMarks(
  reader: Pick<AuditReader, "read">,
  since: number,
): Promise<readonly ChartMark[]> {
  const marks: ChartMark[] = [];
  let newer: AuditEntry | null = null;
  let read = 0;
  for await (const entry of reader.read({ order: "newest-first", since, skims })) {
    read += 1;
    if (read > maxRead || marks.length === maxMarks) break;
    const { at, act, by, drain, lane, host, records } = entry;
    const didNothing = act === "apply" && records.length === 0;
    if (!acts.has(act) || didNothing) continue;
    if (newer !== null && isOfOneAct(newer, entry)) marks.pop();
    marks.push({ at, act, by, drain, origin: lane?.origin ?? null, ...defined({ host }) });
    newer = entry;
  }
  return marks;
}

type Act = Pick<AuditEntry, "at" | "act" | "by" | "drain" | "why" | "host" | "lane">;

/** Pages of an apply follow one another, and so does one order for each source. */
export function isOfOneAct(newer: Act, { at, act, by, drain, why, host, lane }: Act): boolean {
  const isAlike = newer.act === act && newer.by === by && newer.drain === drain && newer.why === why;
  const isSoon = act === "apply" || newer.at - at < ofOneOrderMs;
  return isAlike && newer.host === host && lane === undefined && isSoon;
}
