import type { DrainsDocument } from "../ports/drains.ts";
import type { ScheduledJob } from "../ports/queue.ts";

/** A census lists the whole queue; asked for more often than this it would do nothing else. */
const leastCensusEveryMs = 1_000;

/** The schedules that a document asks for: a tick per drain, a sweep and a census per source, a reading per index. */
export function toSchedules(document: DrainsDocument, sweepEveryMs: number): readonly ScheduledJob[] {
  return [
    ...document.drains.map(({ name, schedule }): ScheduledJob => ({
      id: `tick:${name}`,
      schedule,
      job: { kind: "tick", drain: name },
    })),
    ...document.sources.map(({ id }): ScheduledJob => ({
      id: `sweep:${id}`,
      schedule: { kind: "every", everyMs: sweepEveryMs },
      job: { kind: "sweep", source: id },
    })),
    ...document.sources.map(({ id, censusEveryMs }): ScheduledJob => ({
      id: `census:${id}`,
      schedule: { kind: "every", everyMs: Math.max(leastCensusEveryMs, censusEveryMs) },
      job: { kind: "census", source: id },
    })),
    ...document.indexes.map(({ name, schedule }): ScheduledJob => ({
      id: `statistics:${name}`,
      schedule,
      job: { kind: "statistics", index: name },
    })),
  ];
}
