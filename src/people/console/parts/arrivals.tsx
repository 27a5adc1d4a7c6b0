/** Arrivals of a week as bars, and as a table for those who see no bars. */
import { arrivalHours, type HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { Html } from "../screen.ts";
import { Sparkline } from "./sparkline.tsx";
import { number } from "../../operations/phrases.ts";

const hourMs = 3_600_000;
const dayHours = 24;

/** A list of a hundred kinds needs no bar for each hour. */
const hoursPerBar = 3;

export function ArrivalBars({
  arrivals,
  now,
}: {
  readonly arrivals: HourlyArrivals;
  readonly now: number;
}): Html {
  const counts = toSums(arrivals, now);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const label = `${number(all)} arrived in 7 days, at most ${number(Math.max(...counts))} in ${hoursPerBar} h`;
  return <Sparkline counts={counts} label={label} />;
}

/** By day in UTC, today first. */
export function toDays(arrivals: HourlyArrivals, now: number): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (let ago = 0; ago < arrivalHours / dayHours; ago += 1)
    sums.set(dayOf(now - ago * dayHours * hourMs), 0);
  for (const [hour, count] of Object.entries(arrivals)) {
    const day = dayOf(Number(hour) * hourMs);
    const sum = sums.get(day);
    if (sum !== undefined) sums.set(day, sum + count);
  }
  return [...sums];
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Of so many hours each, the oldest first. */
function toSums(arrivals: HourlyArrivals, now: number): readonly number[] {
  const first = Math.floor(now / hourMs) - arrivalHours + 1;
  return Array.from({ length: arrivalHours / hoursPerBar }, (_, bar) => {
    let sum = 0;
    for (let hour = 0; hour < hoursPerBar; hour += 1) sum += arrivals[first + bar * hoursPerBar + hour] ?? 0;
    return sum;
  });
}
