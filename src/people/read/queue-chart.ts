/** Samples of the queues as a chart shows them: what waited, and what came and went between two moments. Pure. */
import type { QueueSample } from "../../job/contracts/queue-series.ts";

export const chartRanges = ["1h", "6h", "24h", "7d"] as const;
export type ChartRange = (typeof chartRanges)[number];

/** In minutes. A step that is longer than a minute falls on samples that are kept as long. */
const rangeMinutes: Readonly<Record<ChartRange, { readonly span: number; readonly step: number }>> = {
  "1h": { span: 60, step: 1 },
  "6h": { span: 360, step: 3 },
  "24h": { span: 1_440, step: 10 },
  "7d": { span: 10_080, step: 60 },
};

const minuteMs = 60_000;
/** A chart of less would be one steep line. */
const minSpanMs = 10 * minuteMs;

export function isChartRange(text: string | null): text is ChartRange {
  return chartRanges.some((one) => one === text);
}

/** The minutes (Unix time / 1 min) of which a chart has a point, oldest first. `now`: Unix ms. */
export function toChartMinutes(range: ChartRange, now: number): readonly number[] {
  const { span, step } = rangeMinutes[range];
  const last = Math.floor(now / minuteMs / step) * step;
  return Array.from({ length: span / step + 1 }, (_, index) => last - span + index * step);
}

export type Moved = "arrived" | "published" | "failedAgain";

export interface QueueChart {
  /** Unix ms. It begins with its first sample if that is younger than its range. */
  readonly from: number;
  readonly to: number;
  /** The whole range has samples, so the sums are of all of it. */
  readonly isWhole: boolean;
  readonly waiting: readonly ChartPoint[];
  /** Between the point before and this one. */
  readonly moved: Readonly<Record<Moved, readonly ChartPoint[]>>;
  /** Within the whole chart, since its first sample. */
  readonly sums: Readonly<Record<Moved, number>>;
  /** Of the first sample, Unix ms; null: there is none yet. */
  readonly since: number | null;
}

/** Null: nobody sampled that moment, so it is not known. */
export type ChartPoint = readonly [at: number, count: number | null];

/** `latest`: the counts of now; null: they are not known. */
export function toQueueChart(
  minutes: readonly number[],
  samples: readonly (QueueSample | null)[],
  latest: { readonly at: number; readonly sample: QueueSample } | null,
): QueueChart {
  const moments: { readonly at: number; readonly sample: QueueSample | null }[] = minutes.map(
    (minute, index) => ({ at: minute * minuteMs, sample: samples[index] ?? null }),
  );
  if (latest !== null) moments.push(latest);
  const known = moments.flatMap(({ at, sample }) => (sample === null ? [] : [{ at, sample }]));
  const [first, last] = [known[0], known.at(-1)];
  const [begin, to] = [moments[0]?.at ?? 0, moments.at(-1)?.at ?? 0];
  const from = first === undefined ? begin : Math.max(begin, Math.min(first.at, to - minSpanMs));
  const movedOf = (name: Moved): readonly ChartPoint[] =>
    moments.slice(1).flatMap(({ at, sample }, index): readonly ChartPoint[] => {
      if (at < from) return [];
      const before = moments[index]?.sample;
      return [[at, sample && before ? Math.max(0, sample[name] - before[name]) : null]];
    });
  const sumOf = (name: Moved): number =>
    first === undefined || last === undefined ? 0 : Math.max(0, last.sample[name] - first.sample[name]);
  return {
    from,
    to,
    isWhole: first?.at === begin,
    waiting: moments.flatMap(({ at, sample }) => (at < from ? [] : [[at, sample?.waiting ?? null] as const])),
    moved: {
      arrived: movedOf("arrived"),
      published: movedOf("published"),
      failedAgain: movedOf("failedAgain"),
    },
    sums: {
      arrived: sumOf("arrived"),
      published: sumOf("published"),
      failedAgain: sumOf("failedAgain"),
    },
    since: first?.at ?? null,
  };
}
