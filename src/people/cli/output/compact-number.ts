const units = ["M", "G", "T", "P", "E"] as const;

/** A number in at most 7 characters: `42`, `0.0123`, `4813`, `1.23M`. Whole numbers below a million are exact. */
export function toCompact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e21) return value.toExponential(0);
  if (size >= 1e6) {
    const thousands = Math.floor(Math.log10(size) / 3);
    return `${Number((value / 10 ** (thousands * 3)).toPrecision(3))}${units[thousands - 2]}`;
  }
  if (size >= 1_000) return String(Math.round(value));
  if (size > 0 && size < 0.001) return value.toExponential(0);
  return String(Number(value.toPrecision(3)));
}
