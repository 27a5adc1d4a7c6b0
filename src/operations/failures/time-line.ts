/**
 * What happened to a kind of failure and to the lanes of its destination, from the newest entries of the audit.
 * Nothing there says that a canary was the probe of a halted lane. So the lane's moves are followed back in time
 * from its state now: what went out as a canary while it was halted was a probe.
 */
import { hostOf } from "../../message/destination-url.ts";
import { namesOfOrigin, toFailureName } from "../../message/destination-names.ts";
import { laneActs, type AuditAct, type AuditEntry, type AuditReader } from "../../ports/audit.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { isAboutFailure } from "./marks.ts";

export interface TimeLineEntry extends AuditEntry {
  /** Dead letters that went out as probes of the lane by themselves; absent: another act. */
  readonly probed?: readonly string[];
}

export interface TimeLine {
  /** Newest first. */
  readonly entries: readonly TimeLineEntry[];
  /** Unix ms: how far back was read; null: there is nothing older. */
  readonly readTo: number | null;
}

/** Acts on records are far more, and most pages of the audit hold nothing else. */
const maxRead = 600;
const maxEntries = 50;

const acts: ReadonlySet<AuditAct> = new Set([...laneActs, "pause", "resume", "note", "quiet", "unquiet"]);

/**
 * Reads a bounded part of the audit. `halted`: drains whose lane of the destination is halted now. Throws
 * `redis-unavailable`.
 */
export async function readTimeLine(
  reader: AuditReader,
  failure: Pick<FailureView, "id" | "origin" | "source">,
  halted: readonly string[],
): Promise<TimeLine> {
  const isAbout = toTest(failure);
  const probes = createProbeFinder(failure, halted);
  const entries: TimeLineEntry[] = [];
  let read = 0;
  const skims = (act: AuditAct): boolean => !acts.has(act) && !probes.asks(act);
  for await (const entry of reader.read({ order: "newest-first", skims })) {
    if (read === maxRead || entries.length === maxEntries) return { entries, readTo: entry.at };
    read += 1;
    const probed = probes.of(entry);
    if (probed.length > 0) entries.push({ ...entry, probed });
    else if (isAbout(entry)) entries.push(entry);
  }
  return { entries, readTo: null };
}

/** Asked with each entry in turn, the newest first. */
function createProbeFinder(
  { origin, source }: Pick<FailureView, "origin" | "source">,
  haltedNow: readonly string[],
) {
  const halted = new Set(haltedNow);
  const own = hostOf(origin);
  return {
    /** What goes out while no lane is halted is no probe. */
    asks: (act: AuditAct): boolean => act === "republish" && halted.size > 0,
    of({ act, drain, lane, records, source: of }: AuditEntry): readonly string[] {
      if (of !== source || drain === null) return [];
      if (lane?.origin === origin) {
        if (lane.from === "halted") halted.add(drain);
        else halted.delete(drain);
      }
      if (act !== "republish" || !halted.has(drain)) return [];
      return records.flatMap(({ dlqId, notes = [], host }) =>
        host === own && notes.includes("canary") ? [dlqId] : [],
      );
    },
  };
}

function toTest({ id, origin, source }: Pick<FailureView, "id" | "origin" | "source">) {
  const names = [...namesOfOrigin(origin), toFailureName(id)];
  return (entry: AuditEntry): boolean => {
    if (entry.source !== source || !acts.has(entry.act)) return false;
    if (entry.lane !== undefined) return entry.lane.origin === origin;
    if (entry.act === "pause" || entry.act === "resume") {
      return entry.host === undefined || names.includes(entry.host);
    }
    return isAboutFailure(entry, id);
  };
}
