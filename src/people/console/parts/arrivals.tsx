import { arrivalHours, type HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { Html } from "../screen.ts";
import { round } from "./chart.tsx";
import { number } from "../../operations/phrases.ts";

const hourMs = 3_600_000;

/** A list of a hundred kinds needs no bar for each hour. */
const hoursPerBar = 3;

export function ArrivalBars({ arrivals, now }: Readonly<{ arrivals: HourlyArrivals; now: number }>): Html {
  const counts = toSums(arrivals, now);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const label = `${number(all)} arrived in 7 days, at most ${number(Math.max(...counts))} in ${hoursPerBar} h`;
  return <Sparkline counts={counts} label={label} />;
}

function toSums(arrivals: HourlyArrivals, now: number): readonly number[] {
  const first = Math.floor(now / hourMs) - arrivalHours + 1;
  return Array.from({ length: arrivalHours / hoursPerBar }, (_, bar) => {
    let sum = 0;
    for (let hour = 0; hour < hoursPerBar; hour += 1) sum += arrivals[first + bar * hoursPerBar + hour] ?? 0;
    return sum;
  });
}

const height = 20;

/** Bars of counts, oldest first. `label` says the same in words. One path: a page may have a hundred of them. */
function Sparkline({
  counts,
  label,
  width = 96,
}: Readonly<{ counts: readonly number[]; label: string; width?: number }>): Html {
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <path d={toPath(counts, width)} />
    </svg>
  );
}

function toPath(counts: readonly number[], width: number): string {
  const most = Math.max(1, ...counts);
  const step = width / Math.max(1, counts.length);
  const wide = round(Math.max(0.5, step > 2 ? step - 1 : step));
  return counts
    .map((count, index) => {
      if (count === 0) return "";
      // One pixel for whatever is not nothing.
      const tall = Math.max(1, Math.round((count / most) * height));
      return `M${round(index * step)} ${height}v-${tall}h${wide}v${tall}z`;
    })
    .join("");
}
