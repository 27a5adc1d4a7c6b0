/**
 * `2025-10-19 18:33:05.244068975 +0000 UTC`, or with three fraction digits: the form the service writes.
 * `belowMs` are the nanoseconds below the millisecond, 0 to 999,999.
 */
export function formatTimestamp(ms: number, fractionDigits: 3 | 9, belowMs = 0): string {
  const [date, time] = new Date(ms).toISOString().slice(0, -1).split("T") as [string, string];
  const below = fractionDigits === 9 ? String(belowMs).padStart(6, "0") : "";
  return `${date} ${time}${below} +0000 UTC`;
}
