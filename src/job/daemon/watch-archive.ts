import type { lookAtVolume } from "../compose/open-archive.ts";
import type { Core } from "../compose/build-core.ts";
import type { Archive } from "../contracts/archive.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Events } from "../contracts/events.ts";

const checkEveryMs = 60_000;
/** A failure is repeated this often, so that its alert lasts as long, also while nothing is dropped. */
const reportEveryMs = 10 * 60_000;

type SeenVolume = NonNullable<Awaited<ReturnType<typeof lookAtVolume>>>;

interface ArchiveWatchParts {
  readonly current: () => Pick<Core, "archive" | "document">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly events: Events;
  readonly look: typeof lookAtVolume;
}

/**
 * Checks the archive's volume at the start and every minute. So a volume that cannot be written is reported
 * before the first record is to be dropped or expires. The check writes nothing; problems that only a write
 * finds are reported by the write.
 */
export function createArchiveWatch({ current, clock, events, look }: ArchiveWatchParts) {
  let watched: Archive | null = null;
  let reported: SeenVolume["verdict"] = "fit";
  let problem: string | null = null;
  let failureReportedAt = Number.NEGATIVE_INFINITY;

  const report = ({ verdict, complaint }: SeenVolume, isNew: boolean): void => {
    // The volume of a new archive is reported when it is built.
    if (!isNew && verdict !== reported) events.emit({ type: "archive:volume-seen", verdict, complaint });
    reported = verdict;
    problem = verdict === "unfit" ? complaint : null;
    if (problem === null || clock.monotonic() - failureReportedAt < reportEveryMs) return;
    failureReportedAt = clock.monotonic();
    for (const { id } of current().document.sources) {
      events.emit({ type: "archive:failed", source: id, message: problem });
    }
  };

  return {
    /** Why the archive cannot be written, as last seen; null: it can, or there is none. */
    problem(): string | null {
      const { archive } = current();
      return (archive === watched ? problem : null) ?? archive?.problem()?.why ?? null;
    },
    async look(): Promise<number> {
      const { archive, document } = current();
      if (archive === null || document.archive === undefined) return checkEveryMs;
      const seen = await look(document.archive);
      if (seen === null || current().archive !== archive) return checkEveryMs;
      const isNew = watched !== archive;
      if (isNew) failureReportedAt = Number.NEGATIVE_INFINITY;
      watched = archive;
      report(seen, isNew);
      return checkEveryMs;
    },
  };
}
