import type { Rate } from "../../ports/limits.ts";

/** What is granted under a rate: at most `max` in any span [t, t + spanMs). */
export interface Spacing {
  readonly max: number;
  readonly spanMs: number;
  /** Grants are remembered by slots of this, rounded up, so that at most 100 slots lie in a span. */
  readonly slotMs: number;
}

const secondMs = 1_000;
const slotsPerSpan = 100;

/**
 * A rate as bursts of at most one second's worth. With g = max and m = ⌊count / g⌋ bursts, spanMs ≥ perMs / m, so any span of perMs
 * meets at most m of them: m · g ≤ count. The rounding costs less than g / count, which is nothing for a rate per second and
 * at most a sixtieth for a rate per minute.
 */
export function toSpacing({ count, perMs }: Rate): Spacing {
  const max = Math.max(1, Math.floor((count * secondMs) / perMs));
  const spanMs = Math.ceil(perMs / Math.floor(count / max));
  return { max, spanMs, slotMs: max <= slotsPerSpan ? 1 : Math.ceil(spanMs / slotsPerSpan) };
}
