/** Samples of the queues as a chart shows them: what waited, and what came and went between two moments. Pure. */
import type { QueueSample, QueueSeries } from "../../job/contracts/queue-series.ts";

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

/** With the first of the series, which may be of a minute between these: what moved since is in its sums. */
export async function readSamples(
  minutes: readonly number[],
  now: number,
  read: QueueSeries["read"],
): Promise<readonly [minutes: readonly number[], samples: readonly (QueueSample | null)[]]> {
  const samples = await read(minutes);
  const known = samples.findIndex((one) => one !== null);
  const place = known < 0 ? minutes.length : known;
  const [before, after = Math.floor(now / minuteMs) + 1] = [minutes[place - 1] ?? Infinity, minutes[place]];
  const between = Array.from({ length: Math.max(0, after - before - 1) }, (_, index) => before + 1 + index);
  const found = await read(between);
  const first = found.findIndex((one) => one !== null);
  if (first < 0) return [minutes, samples];
  return [minutes.toSpliced(place, 0, between[first]!), samples.toSpliced(place, 0, found[first]!)];
}

export type Moved = "arrived" | "published" | "failedAgain";

export type QueueChart = ReturnType<typeof toQueueChart>;

/** Null: nobody sampled that moment, so it is not known. */
export type ChartPoint = readonly [at: number, count: number | null];

const eachMoved = <Value>(toValue: (name: Moved) => Value): Readonly<Record<Moved, Value>> => ({
  arrived: toValue("arrived"),
  published: toValue("published"),
  failedAgain: toValue("failedAgain"),
});

/** `latest`: the counts of now; null: they are not known. */
export function toQueueChart(
  minutes: readonly number[],
  samples: readonly (QueueSample | null)[],
  latest: { readonly at: number; readonly sample: QueueSample } | null,
) {
  const past = minutes.map((minute, index) => {
    const sample = samples[index] ?? null;
    return { at: sample?.at ?? minute * minuteMs, sample };
  });
  const moments = latest === null ? past : [...past, latest];
  const known = moments.flatMap(({ at, sample }) => (sample === null ? [] : [{ at, sample }]));
  const [first, last] = [known[0], known.at(-1)];
  const [begin, to] = [moments[0]?.at ?? 0, moments.at(-1)?.at ?? 0];
  const from = first === undefined ? begin : Math.max(begin, Math.min(first.at, to - minSpanMs));
  // What moved while nobody sampled stands at the next sample, so that all of it is the sum.
  const movedOf = (name: Moved): readonly ChartPoint[] => {
    let before: QueueSample | null = null;
    return moments.flatMap(({ at, sample }, index): readonly ChartPoint[] => {
      const moved = sample && before ? Math.max(0, sample[name] - before[name]) : null;
      before = sample ?? before;
      return index === 0 || at < from ? [] : [[at, moved]];
    });
  };
  const steps = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0));
  const sumOf = (name: Moved): number =>
    first === undefined || last === undefined ? 0 : Math.max(0, last.sample[name] - first.sample[name]);
  return {
    /** Unix ms. It begins with its first sample if that is younger than its range. */
    from,
    to,
    waiting: moments.flatMap(({ at, sample }): readonly ChartPoint[] =>
      at < from ? [] : [[at, sample?.waiting ?? null]],
    ),
    /** What most points are apart: the first sample may stand between two of them. */
    stepMs: Math.max(1, ...steps) * minuteMs,
    /** Between the last known point before and this one. */
    moved: eachMoved(movedOf),
    /** Within the whole chart, since its first sample. */
    sums: eachMoved(sumOf),
    /** Of the first sample, Unix ms; null: there is none yet. */
    since: first?.at ?? null,
  };
}
