/**
 * `2025-10-19 18:33:05.244068975 +0000 UTC`, or with three fraction digits: the form the service writes.
 * The digits below the millisecond are made up from it, the same ones each time.
 */
export function formatTimestamp(ms: number, fractionDigits: 3 | 9): string {
  const [date, time] = new Date(ms).toISOString().slice(0, -1).split("T") as [string, string];
  const below = fractionDigits === 9 ? String((Math.floor(ms) * 7_919) % 1_000_000).padStart(6, "0") : "";
  return `${date} ${time}${below} +0000 UTC`;
}
