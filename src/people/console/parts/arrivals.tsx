/** Arrivals of a week as bars. */
import { arrivalHours, type HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { Html } from "../screen.ts";
import { Sparkline } from "./sparkline.tsx";
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
