/**
 * A chart as SVG that the server draws: it needs no script, follows dark mode by the stylesheet, and is replaced
 * like any live section. Its plots stretch with the page, and its words do not.
 */
import type { Html } from "../screen.ts";
import { number } from "../../operations/phrases.ts";

/** Null: not known, and the line has a gap there. */
export type Point = readonly [at: number, value: number | null];

export interface ChartLine {
  /** Of the stylesheet, which has its colour. */
  readonly name: string;
  /** Bars stand before their point, in the left or the right half of its step. */
  readonly kind: "area" | "line" | "bars" | "bars-beside" | "foreseen";
  readonly points: readonly Point[];
}

export interface ChartMarkShown {
  readonly at: number;
  readonly name: "halt" | "act";
  readonly words: string;
  /** Written above it; absent: it has no room. */
  readonly label?: string;
}

export interface Plot {
  readonly heightPx: number;
  /** Below the number at its axis, such as `waiting`. */
  readonly unit?: string;
  readonly lines: readonly ChartLine[];
}

/** What something was, and until when: `name` is of the stylesheet. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly words: string;
}

interface ChartProps {
  readonly from: number;
  readonly to: number;
  /** One above the other, over the same time. */
  readonly plots: readonly Plot[];
  /** Below the plots, a row each, over the same time. */
  readonly strips?: readonly (readonly Stretch[])[];
  readonly marks?: readonly ChartMarkShown[];
  /** Before it nothing was counted; absent: all of it was. */
  readonly since?: number;
  readonly label: string;
}

const gapPx = 14;
const stripPx = 8;
const axisPx = 18;
const markPx = 14;
const labelPx = 15;

export function Chart({ from, to, plots, strips = [], marks = [], since = from, label }: ChartProps): Html {
  const marksTop = marks.some((one) => one.label !== undefined) ? labelPx : 0;
  const top = marks.length > 0 ? marksTop + markPx : 4;
  const plotsEnd = plots.reduce((sum, { heightPx }) => sum + heightPx + gapPx, top) - gapPx;
  const height = plotsEnd + strips.length * (stripPx + 6) + axisPx;
  const x = (at: number): string => `${round(((at - from) / Math.max(1, to - from)) * 100)}%`;
  let y = top;
  return (
    <svg class="chart" width="100%" height={height} role="img" aria-label={label}>
      {since <= from ? null : (
        <rect class="uncounted" width={x(Math.min(since, to))} y={top} height={plotsEnd - top} />
      )}
      {plots.map((plot) => {
        const drawn = <PlotArea plot={plot} from={from} to={to} y={y} />;
        y += plot.heightPx + gapPx;
        return drawn;
      })}
      {strips.map((strip, row) =>
        strip.map((stretch) => (
          <rect
            class={`stretch ${stretch.name}`}
            x={x(Math.max(from, stretch.from))}
            y={plotsEnd + 6 + row * (stripPx + 6)}
            width={`${round(((stretch.to - Math.max(from, stretch.from)) / Math.max(1, to - from)) * 100)}%`}
            height={stripPx}
          >
            <title>{stretch.words}</title>
          </rect>
        )),
      )}
      {toTicks(from, to).map(({ at, words, anchor }) => (
        <text class="tick" x={x(at)} y={height - 4} text-anchor={anchor}>
          {words}
        </text>
      ))}
      {marks.map(({ at, name, words, label: own }) => (
        <g class={`chart-mark ${name}`}>
          <title>{words}</title>
          <line x1={x(at)} x2={x(at)} y1={top} y2={height - axisPx} />
          <svg x={x(at)} y={marksTop} overflow="visible">
            <path d={name === "halt" ? "M-5 2h10l-5 9z" : "M0 1l5 5l-5 5l-5-5z"} />
          </svg>
          <text
            x={x(at)}
            y={11}
            text-anchor={
              at - from < (to - from) * 0.15 ? "start" : to - at < (to - from) * 0.15 ? "end" : "middle"
            }
          >
            {own}
          </text>
        </g>
      ))}
      {(since - from) / (to - from) < 0.2 ? null : (
        <text class="tick over" x={x((from + Math.min(since, to)) / 2)} y={plotsEnd - 8} text-anchor="middle">
          not counted yet
        </text>
      )}
    </svg>
  );
}

/** Units of a plot: a thousand wide, a hundred high. */
const wide = 1_000;
const tall = 100;
/** A bar of few steps is a bar still. */
const widest = 24;

function PlotArea({
  plot: { heightPx, unit = "", lines },
  from,
  to,
  y,
}: Readonly<{ plot: Plot; from: number; to: number; y: number }>): Html {
  const highest = Math.max(0, ...lines.flatMap(({ points }) => points.map(([, value]) => value ?? 0)));
  const most = toNice(Math.max(1, highest));
  const px = (at: number): number => round(((at - from) / Math.max(1, to - from)) * wide);
  const py = (value: number): number => round(tall - (value / most) * tall);
  return (
    <>
      {[0, 0.5, 1].map((share) => (
        <line class="grid" x1="0" x2="100%" y1={y + heightPx * share} y2={y + heightPx * share} />
      ))}
      <svg
        x="0"
        y={y}
        width="100%"
        height={heightPx}
        viewBox={`0 0 ${wide} ${tall}`}
        preserveAspectRatio="none"
      >
        {lines.map(({ name, kind, points }) => (
          <>
            <path class={`${kind} ${name}`} d={toPath(kind, points, px, py)} />
            {kind === "area" ? <path class={name} d={toPath("line", points, px, py)} /> : null}
          </>
        ))}
      </svg>
      {highest === 0 ? (
        <>
          <AxisWords y={y + heightPx / 2 - 2}>none</AxisWords>
          <AxisWords y={y + heightPx / 2 + 10}>{unit}</AxisWords>
        </>
      ) : (
        <>
          <AxisWords y={y + 4}>{toShort(most)}</AxisWords>
          <AxisWords y={y + 16}>{unit}</AxisWords>
          {most % 2 > 0 || heightPx < 90 ? null : (
            <AxisWords y={y + heightPx / 2 + 4}>{toShort(most / 2)}</AxisWords>
          )}
          <AxisWords y={y + heightPx + 4}>0</AxisWords>
        </>
      )}
    </>
  );
}

/** Left of the plots, where the stylesheet leaves room. */
function AxisWords({ y, children }: { readonly y: number; readonly children?: unknown }): Html {
  return (
    <text class="tick" x="-6" y={y} text-anchor="end">
      {children}
    </text>
  );
}

/** `20,000` or `2M`: of one digit or two, so nothing is lost. */
function toShort(count: number): string {
  return count < 1_000_000 ? number(count) : `${number(count / 1_000_000)}M`;
}

function toPath(
  kind: ChartLine["kind"],
  points: readonly Point[],
  px: (at: number) => number,
  py: (value: number) => number,
): string {
  if (kind === "bars") return toBars(points, px, py, -1);
  if (kind === "bars-beside") return toBars(points, px, py, 0);
  return toRuns(points)
    .map((run) => {
      const line = run.map(([at, value]) => `${px(at)} ${py(value)}`).join("L");
      const [first, last] = [run[0]?.[0] ?? 0, run.at(-1)?.[0] ?? 0];
      return kind === "area" ? `M${px(first)} ${tall}L${line}L${px(last)} ${tall}z` : `M${line}`;
    })
    .join("");
}

/** A bar stands before its point: it is what came since the point before. */
function toBars(
  points: readonly Point[],
  px: (at: number) => number,
  py: (value: number) => number,
  /** From the middle of its step, in its own width. */
  begin: -1 | 0,
): string {
  return points
    .map(([at, value], index) => {
      if (!value) return "";
      const before = points[index - 1]?.[0] ?? 2 * at - (points[index + 1]?.[0] ?? at);
      const step = px(at) - px(before);
      const width = Math.max(1, Math.min(widest, round(step * 0.4)));
      // Whatever is not nothing is seen.
      const height = Math.max(2, round(tall - py(value)));
      return `M${round(px(before) + step / 2 + begin * width)} ${tall}v-${height}h${width}v${height}z`;
    })
    .join("");
}

/** No line along the axis where nothing moves for long. */
export function withoutRest(points: readonly Point[]): readonly Point[] {
  return points.map(([at, count], index) => {
    const isResting = [-1, 0, 1].every((step) => !points[index + step]?.[1]);
    return [at, isResting ? null : count];
  });
}

function toRuns(points: readonly Point[]): readonly (readonly (readonly [number, number])[])[] {
  const runs: (readonly [number, number])[][] = [];
  let isOpen = false;
  for (const [at, value] of points) {
    if (value !== null) {
      if (isOpen) runs.at(-1)?.push([at, value]);
      else runs.push([[at, value]]);
    }
    isOpen = value !== null;
  }
  return runs;
}

/** One digit and zeros, of which the half is short too. */
function toNice(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * power).find((one) => one >= most) ?? most;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** At most six of them fit a phone. */
const tickSteps = [
  5 * minuteMs,
  10 * minuteMs,
  15 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  dayMs,
  7 * dayMs,
];
const maxTicks = 7;

function toTicks(
  from: number,
  to: number,
): readonly { readonly at: number; readonly words: string; readonly anchor: string }[] {
  const step = tickSteps.find((one) => (to - from) / one <= maxTicks) ?? 30 * dayMs;
  const first = Math.ceil(from / step) * step;
  const ticks = [];
  for (let at = first; at <= to; at += step) {
    const iso = new Date(at).toISOString();
    const share = (at - from) / Math.max(1, to - from);
    const anchor = share > 0.96 ? "end" : "middle";
    ticks.push({ at, words: step >= dayMs ? iso.slice(5, 10) : iso.slice(11, 16), anchor });
  }
  return ticks;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
