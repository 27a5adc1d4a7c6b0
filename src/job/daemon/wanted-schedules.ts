import type { Core } from "../compose/build-core.ts";
import type { DrainsDocument } from "../contracts/drains-document.ts";
import type { ScheduledJob } from "../contracts/work-queue.ts";
import { censusLooks } from "../census/count-and-copy-expiring.ts";
import { maxWaiting } from "./window-slots.ts";

/** A census lists the whole queue. With a shorter interval than this, there would be nothing but censuses. */
const minCensusEveryMs = 1_000;

/**
 * A backlog's begin and end are noticed within ten seconds, of which a pass's horizon takes five. An evaluation
 * reads the facts of every drain, so it comes less often if there are many: it costs 50 drains about 0.2 s of a
 * core, and one drain about 0.02 s.
 */
const noticesEvery = { minMs: 2_000, perDrainMs: 100, maxMs: 5_000 };

/** Notices if somebody is told. Sweeps have no schedule (keep-sweeping.ts). */
export function toSchedules(document: DrainsDocument): readonly ScheduledJob[] {
  return [
    ...document.drains.map(({ name, schedule }): ScheduledJob => ({
      id: `tick:${name}`,
      schedule,
      job: { kind: "tick", drain: name },
    })),
    ...document.sources.map(({ id, censusEveryMs }): ScheduledJob => ({
      id: `census:${id}`,
      schedule: { kind: "every", everyMs: Math.max(minCensusEveryMs, censusEveryMs / censusLooks) },
      job: { kind: "census", source: id },
    })),
    ...document.indexes.map(({ name, schedule }): ScheduledJob => ({
      id: `statistics:${name}`,
      schedule,
      job: { kind: "statistics", index: name },
    })),
    ...(document.notify.length === 0 ? [] : [toEvaluation(document)]),
    ...document.notify.flatMap(({ name, digest }): readonly ScheduledJob[] =>
      digest === undefined
        ? []
        : [{ id: `digest:${name}`, schedule: digest, job: { kind: "digest", target: name } }],
    ),
  ];
}

function toEvaluation({ drains }: Pick<DrainsDocument, "drains">): ScheduledJob {
  const { minMs, perDrainMs, maxMs } = noticesEvery;
  const everyMs = Math.min(maxMs, Math.max(minMs, perDrainMs * drains.length));
  return { id: "notices", schedule: { kind: "every", everyMs }, job: { kind: "notices" } };
}

/** What schedules depend on. A loss of a ledger's writes is a loss of schedules too. */
export function toScheduleBasis({ document, sources }: Pick<Core, "document" | "sources">): string {
  const losses = [...sources.values()].reduce((sum, source) => sum + source.losses(), 0);
  return `document ${document.hash} after ${losses} losses`;
}

/** Ticks, sweeps and censuses that have nothing to wait for, and statistics. */
const shortJobs = 10;
/** Targets of `notify` that are sent to at once: one that does not answer takes ten seconds. */
const maxNotifyJobs = 4;

/**
 * Jobs of each queue that a process may have in hand at once. Jobs that hang with their source always leave room for
 * all others. A source has one sweep and one census under way, and a drain one tick that waits for a first answer.
 * Slots limit the windows at work (window-slots.ts). A few wait for a slot, and two places are always free.
 */
export function toMaxJobs({
  sources,
  drains,
  document,
  settings,
}: Pick<Core, "sources" | "drains" | "document" | "settings">) {
  const { concurrency } = settings.windows;
  return {
    short: shortJobs + 2 * sources.size + drains.size + document.indexes.length,
    windows: sources.size <= 1 ? concurrency : concurrency - 1 + sources.size * (1 + maxWaiting) + 2,
    notices: Math.min(maxNotifyJobs, document.notify.length),
  };
}
