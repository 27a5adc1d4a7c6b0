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
  let rest = durationMs;
  let text = "";
  for (const [unit, unitMs] of units) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text === "" ? "0s" : text;
}
