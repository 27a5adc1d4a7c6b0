const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** A span of ms for people: its two largest units, rounded down (`40s`, `5m`, `1h30m`); below a second in `ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 0) return `-${formatDuration(-durationMs)}`;
  if (durationMs < 1_000) return durationMs === 0 ? "0s" : `${Math.floor(durationMs)}ms`;
  const largest = units.findIndex(([, unitMs]) => durationMs >= unitMs);
  let rest = durationMs;
  let text = "";
  for (const [unit, unitMs] of units.slice(largest, largest + 2)) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text;
}
