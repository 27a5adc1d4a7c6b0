const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** A span of whole ms, exactly and as a document writes it: `1h30m`, `500ms`, `0s`. */
export function durationText(durationMs: number): string {
  if (durationMs < 0) return `-${durationText(-durationMs)}`;
  return textOf(durationMs, 0, units.length);
}

/** The two largest units, rounded down (`40s`, `5m`, `1h30m`); below a second in `ms`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 0) return `-${formatDuration(-durationMs)}`;
  if (durationMs < 1_000) return durationMs === 0 ? "0s" : `${Math.floor(durationMs)}ms`;
  const largest = units.findIndex(([, unitMs]) => durationMs >= unitMs);
  return textOf(durationMs, largest, Math.min(largest + 2, 4));
}

function textOf(durationMs: number, first: number, end: number): string {
  let remaining = durationMs;
  let text = "";
  for (const [unit, unitMs] of units.slice(first, end)) {
    const count = Math.floor(remaining / unitMs);
    if (count > 0) text += `${count}${unit}`;
    remaining -= count * unitMs;
  }
  return text === "" ? "0s" : text;
}
