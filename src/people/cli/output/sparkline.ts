/** From low to high. The second for terminals that show no such signs. */
const bars = { unicode: "▁▂▃▄▅▆▇█", ascii: "_.:-=+*#" } as const;

export type Bars = keyof typeof bars;

/** `ascii` if the locale is not UTF-8, as where none is set, or if the terminal says that it is dumb. */
export function barsFor(env: Readonly<Record<string, string | undefined>>): Bars {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(
    (value) => value !== undefined && value !== "",
  );
  return /utf-?8/i.test(locale ?? "") && env["TERM"] !== "dumb" ? "unicode" : "ascii";
}

/**
 * A bar for each value, the lowest and the highest of them as its ends; at most `width` bars. Of values that
 * share a bar it shows the one farthest from the mean of all: an average would hide a spike.
 */
export function toSparkline(values: readonly number[], width: number, form: Bars): string {
  const count = Math.min(width, values.length);
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  const shown = Array.from({ length: count }, (_, bar) => {
    const from = Math.floor((bar * values.length) / count);
    const to = Math.floor(((bar + 1) * values.length) / count);
    return values
      .slice(from, to)
      .reduce((best, value) => (Math.abs(value - mean) > Math.abs(best - mean) ? value : best));
  });
  // Halves, because the difference of two numbers may be too large for a number.
  const lowest = Math.min(...shown) / 2;
  const range = Math.max(...shown) / 2 - lowest;
  const levels = bars[form];
  const toBar = (value: number): string =>
    levels[range > 0 ? Math.round(((value / 2 - lowest) / range) * (levels.length - 1)) : 0] ?? "";
  return shown.map(toBar).join("");
}
