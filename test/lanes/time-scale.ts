/**
 * How long something of real life lasts here: every duration of a document is so much shorter, every rate so
 * much higher.
 */
export type TimeScale = ReturnType<typeof createTimeScale>;

export const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;

export function createTimeScale(factor: number) {
  return {
    factor,
    /** Milliseconds here of so many in real life. */
    here: (realMs: number) => realMs / factor,
    /** In real life, as a text, of so many milliseconds here. */
    toRealText: (hereMs: number) => toText(hereMs * factor),
  };
}

/** `1h 2m`, `3m 4s`, `5.6s`. */
function toText(ms: number): string {
  if (ms < minuteMs) return `${(ms / secondMs).toFixed(1)}s`;
  const seconds = Math.round(ms / secondMs);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}h ${minutes}m` : `${minutes}m ${seconds % 60}s`;
}
