/** A day of one kind of failure: what arrived and was sent again by the hour, over what its lanes were. */
import { formatDuration } from "../../../job/rules/durations.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { KindsSample } from "../../../job/contracts/queue-series.ts";
import type { StoredDetails } from "../../operations/failures/details.ts";
import type { TimeLine } from "../../operations/failures/time-line.ts";
import { number, toTime } from "../../operations/phrases.ts";
import type { Html } from "../screen.ts";
import { Chart, withoutRest, type ChartMarkShown, type Point, type Stretch } from "./chart.tsx";

/** By the hour (Unix time / 1 h); null: not sampled at both its ends. */
export interface Redrives {
  readonly hours: readonly number[];
  readonly published: readonly (number | null)[];
  readonly failedAgain: readonly (number | null)[];
}

/** `now`: the counts as they are. Pure. */
export function toRedrives(
  hours: readonly number[],
  kinds: readonly (KindsSample | null)[],
  key: string,
  now: { readonly published: number; readonly failedAgain: number; readonly firstMetAt: number },
): Redrives {
  const until = hours.map((_, index) => {
    if (index === hours.length - 1) return [now.published, now.failedAgain] as const;
    const hour = hours[index] ?? 0;
    if ((hour + 1) * hourMs <= now.firstMetAt) return [0, 0] as const;
    const kind = kinds[index];
    // It had none by then.
    return kind ? (kind[key] ?? ([0, 0] as const)) : null;
  });
  const of = (which: 0 | 1): readonly (number | null)[] =>
    until.slice(1).map((end, index) => {
      const begin = until[index];
      return end && begin ? Math.max(0, end[which] - begin[which]) : null;
    });
  return { hours: hours.slice(1), published: of(0), failedAgain: of(1) };
}

const hourMs = 3_600_000;

/** Of the width: a shorter part of a strip is not explained. */
const seenShare = 1 / 100;

interface FailureChartProps {
  readonly arrivals: HourlyArrivals;
  readonly redrives: Redrives;
  readonly lanes: StoredDetails["lanes"];
  readonly timeLine: TimeLine;
  readonly now: number;
}

export function FailureChart({ arrivals, redrives, lanes, timeLine, now }: FailureChartProps): Html {
  const { hours, published, failedAgain } = redrives;
  const from = (hours[0] ?? 0) * hourMs;
  const to = ((hours.at(-1) ?? 0) + 1) * hourMs;
  const toPoints = (counts: readonly (number | null)[]): readonly Point[] =>
    hours.map((hour, index) => [(hour + 1) * hourMs, counts[index] ?? null]);
  const arrived = hours.map((hour) => arrivals[hour] ?? 0);
  const strips = lanes.map(({ drain, lane }) =>
    toStrip(drain, lane, timeLine, { from, to: Math.min(to, now) }),
  );
  const all = arrived.reduce((sum, count) => sum + count, 0);
  return (
    <figure class="chart">
      <Chart
        from={from}
        to={to}
        plots={[
          {
            heightPx: 110,
            unit: "an hour",
            lines: [
              { name: "arrived", kind: "bars", points: toPoints(arrived) },
              { name: "published", kind: "bars-beside", points: toPoints(published) },
              { name: "failed-again", kind: "line", points: withoutRest(toPoints(failedAgain)) },
            ],
          },
        ]}
        strips={strips.filter((strip) => strip.length > 0)}
        marks={toMarks(timeLine, from)}
        label={`${number(all)} arrived in the last 24 hours`}
      />
      <figcaption class="hint">
        By the hour, of the last 24: bars are what arrived, and what was sent again beside them.
        {strips.flat().some((one) => (one.to - one.from) / (to - from) > seenShare)
          ? " The strip is its lane: red while halted, amber while it is tried, green while it is open."
          : ""}
      </figcaption>
    </figure>
  );
}

function toStrip(
  drain: string,
  lane: StoredDetails["lanes"][number]["lane"],
  { entries }: TimeLine,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Stretch[] {
  const moves = entries.filter(
    (entry) => entry.drain === drain && entry.lane !== undefined && entry.lane.from !== entry.lane.to,
  );
  const stretches: Stretch[] = [];
  let end = to;
  let state: string = lane.state;
  const put = (begin: number): void => {
    if (end > begin) {
      const words = `${drain}: ${state} from ${toTime(begin).slice(11, 16)} UTC for ${formatDuration(Math.max(1_000, end - begin))}`;
      stretches.push({ from: begin, to: end, name: state, words });
    }
  };
  for (const { at, lane: move } of moves) {
    if (at <= from) break;
    put(at);
    end = at;
    state = move?.from ?? state;
  }
  // What a lane was before its oldest known move has no known begin.
  if (moves.length === 0 && lane.sinceMs !== null) put(Math.max(from, to - lane.sinceMs));
  return stretches;
}

function toMarks({ entries }: TimeLine, from: number): readonly ChartMarkShown[] {
  return entries
    .filter(({ at }) => at >= from)
    .flatMap(({ at, act, by, drain, probed }): readonly ChartMarkShown[] => {
      const time = `${toTime(at).slice(11, 16)} UTC`;
      if (probed !== undefined) return [{ at, name: "act", words: `${time} probe of ${drain}` }];
      if (act === "lane-halted") return [{ at, name: "halt", words: `${time} ${drain} halted` }];
      if (act === "lane-resumed" || act === "lane-opened") return [];
      return [{ at, name: "act", words: `${time} ${act === "drop" ? "discard" : act} by ${by}` }];
    });
}
