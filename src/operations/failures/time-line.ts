/** What happened to a kind of failure and to the lanes of its destination, from the newest entries of the audit. */
import { namesOfOrigin, toFailureName } from "../../message/destination-names.ts";
import { laneActs, type AuditAct, type AuditEntry, type AuditReader } from "../../ports/audit.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { isAboutFailure } from "./marks.ts";

export interface TimeLine {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Unix ms: how far back was read; null: there is nothing older. */
  readonly readTo: number | null;
}

/** Acts on records are far more, and most pages of the audit hold nothing else. */
const maxRead = 600;
const maxEntries = 50;

const acts: ReadonlySet<AuditAct> = new Set([...laneActs, "pause", "resume", "note", "quiet", "unquiet"]);

/** Reads a bounded part of the audit. Throws `redis-unavailable`. */
export async function readTimeLine(
  reader: AuditReader,
  failure: Pick<FailureView, "id" | "origin" | "source">,
): Promise<TimeLine> {
  const isAbout = toTest(failure);
  const entries: AuditEntry[] = [];
  let read = 0;
  for await (const entry of reader.read({ order: "newest-first" })) {
    if (read === maxRead || entries.length === maxEntries) return { entries, readTo: entry.at };
    read += 1;
    if (isAbout(entry)) entries.push(entry);
  }
  return { entries, readTo: null };
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
