/** What waited, came and went, with halts and acts as marks, and the line to empty at the measured rate. */
import { formatDuration } from "../../../job/rules/durations.ts";
import type { AuditAct } from "../../../job/contracts/audit.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { number, toClock, toLeft, toTime } from "../../operations/phrases.ts";
import type { Status } from "../../operations/status/read.ts";
import type { ChartMark } from "../../read/chart-marks.ts";
import type { QueueChart } from "../../read/queue-chart.ts";
import { toTotals, type Expired } from "../../read/totals.ts";
import type { Html } from "../screen.ts";
import { Chart, withoutRest, type ChartMarkShown, type Point } from "./chart.tsx";
import { Table } from "./table.tsx";
import { Time } from "./time.tsx";

interface QueueChartProps {
  readonly chart: QueueChart;
  readonly marks: readonly ChartMark[];
  readonly status: Status;
  /** What the passes have met; empty: not known. */
  readonly enteredBy: string;
}

const minuteMs = 60_000;

export function QueueChartFigure({ chart, marks, status, enteredBy }: QueueChartProps): Html {
  const { from, to, waiting, moved, sums, since, stepMs } = chart;
  if (since === null || to - since < minuteMs) {
    return <p class="empty">The chart begins with the first minute that every drain has counted.</p>;
  }
  const foreseen = toForeseen(status, chart);
  const shown = toShown(
    marks.filter(({ at }) => at >= from && at <= to),
    (to - from) * labelsApart,
  );
  const { expiredSince } = toTotals(status).expired.waiting;
  const sent = `${number(sums.published)} ${sums.published === 1 ? "was" : "were"} sent again`;
  const met = `${number(sums.arrived)} arrived and ${number(sums.failedAgain)} failed again`;
  const atMost =
    expiredSince === undefined
      ? ""
      : ` At most so many wait: some expired since ${toClock(expiredSince, to)}.`;
  const label = `Since ${toTime(since)} ${sent}; ${met}${enteredBy && `, ${enteredBy}`}.${atMost}`;
  return (
    <figure class="chart">
      <Chart
        from={from}
        to={Math.max(to, foreseen.at(-1)?.[0] ?? 0)}
        plots={[
          {
            heightPx: 96,
            unit: "waiting",
            lines: [
              { name: "waiting", kind: "area", points: waiting },
              { name: "waiting", kind: "foreseen", points: foreseen },
            ],
          },
          {
            heightPx: 48,
            unit: `in ${formatDuration(stepMs)}`,
            lines: [
              { name: "arrived", kind: "bars", points: moved.arrived },
              { name: "published", kind: "bars-beside", points: moved.published },
              { name: "failed-again", kind: "line", points: withoutRest(moved.failedAgain) },
            ],
          },
        ]}
        marks={shown}
        since={since}
        label={label}
      />
      <figcaption class="hint">
        {label} {shown.length > 0 ? "▾ a halt, ◆ an act of a person." : ""}
        {foreseen.length > 0 ? " Dashed: what is left at the rate of the last minute." : ""}
      </figcaption>
      <details data-fold="numbers">
        <summary>Numbers</summary>
        <Numbers {...{ chart, expiredSince }} />
      </details>
    </figure>
  );
}

/** To the end of what goes at the measured rate, or as far as a third of the chart. Empty: it is not known. */
function toForeseen({ drains }: Status, { from, to, waiting }: QueueChart): readonly Point[] {
  const [, now] = waiting.at(-1) ?? [];
  const going = drains.filter(({ outlook }) => outlook.going > 0);
  if (!now || going.length === 0 || going.some(({ outlook }) => outlook.atRateMs === null)) return [];
  const endMs = Math.max(...going.map(({ outlook }) => outlook.atRateMs ?? 0));
  const count = going.reduce((sum, { outlook }) => sum + outlook.going, 0);
  const shownMs = Math.min(endMs, (to - from) / 3);
  return [
    [to, now],
    [to + shownMs, Math.max(0, now - (count * shownMs) / Math.max(1, endMs))],
  ];
}

/** Nearer to each other they would hide one another. */
const marksApart = 1 / 60;
/** Of the chart: on a phone `halted 04:04` takes a quarter of it. */
const labelsApart = 1 / 4;

function toShown(marks: readonly ChartMark[], labelsApartMs: number): readonly ChartMarkShown[] {
  const [newest, oldest] = [marks[0]?.at ?? 0, marks.at(-1)?.at ?? 0];
  const apartMs = Math.max(1_000, (newest - oldest) * marksApart);
  const shown: { at: number; name: "halt" | "act"; words: string[] }[] = [];
  for (const mark of marks) {
    const name = mark.act === "lane-halted" ? "halt" : "act";
    const last = shown.findLast((one) => one.name === name);
    if (last !== undefined && last.at - mark.at < apartMs) last.words.push(toWords(mark));
    else shown.push({ at: mark.at, name, words: [toWords(mark)] });
  }
  let labelledAt = Infinity;
  return shown.map(({ at, name, words }) => {
    const hasLabel = name === "halt" && labelledAt - at >= labelsApartMs;
    if (hasLabel) labelledAt = at;
    const label = hasLabel ? { label: `halted ${toTime(at).slice(11, 16)}` } : {};
    return { at, name, words: words.slice(0, 5).join("\n"), ...label };
  });
}

const actWords: Readonly<Partial<Record<AuditAct, string>>> = {
  "lane-halted": "halted",
  "lane-resumed": "goes on",
  "lane-probe": "probe asked for",
  "lane-reset": "lane reset",
  pause: "paused",
  resume: "resumed",
  apply: "plan applied",
  release: "parked ones released",
};

function toWords({ at, act, by, drain, origin, host }: ChartMark): string {
  const whole = `${host === undefined ? "" : `${host} in `}${drain ?? "all drains"}`;
  const about = origin === null ? whole : toDestinationText(origin);
  return `${toTime(at).slice(11, 16)} UTC ${about}: ${actWords[act] ?? act}, by ${by}`;
}

const maxRows = 24;

/** The same numbers for who sees no chart: fewer steps, the newest first. */
function Numbers({
  chart: { waiting, moved },
  expiredSince = Infinity,
}: Pick<QueueChartProps, "chart"> & Expired): Html {
  const leftAt = new Map(waiting);
  const isKnown = ([at]: Point): boolean => typeof leftAt.get(at) === "number";
  // A row ends with a sample.
  const ends = moved.arrived.filter(isKnown);
  const every = Math.ceil(ends.length / maxRows);
  const rows = Array.from({ length: Math.ceil(ends.length / Math.max(1, every)) }, (_, index) => {
    const [first, end] = [index * every, (index + 1) * every];
    const sumOf = (points: readonly Point[]): number | null => {
      const known = points
        .filter(isKnown)
        .slice(first, end)
        .flatMap(([, count]) => count ?? []);
      return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
    };
    const [at = 0] = ends[Math.min(end, ends.length) - 1] ?? [];
    return {
      at,
      left: leftAt.get(at) ?? null,
      arrived: sumOf(moved.arrived),
      published: sumOf(moved.published),
      failedAgain: sumOf(moved.failedAgain),
    };
  }).toReversed();
  return (
    <Table
      caption="The chart's numbers, newest first"
      empty="None."
      rows={rows}
      columns={({ column, amounts }) => [
        // The last two may be of one minute.
        column("until", ({ at }) => <Time at={at} isExact />),
        amounts("waiting", ({ left, at }) =>
          left === null || at < expiredSince ? left : toLeft(left, { expiredSince }),
        ),
        amounts("arrived", ({ arrived }) => arrived),
        amounts("sent again", ({ published }) => published),
        amounts("failed again", ({ failedAgain }) => failedAgain),
      ]}
    />
  );
}
