import { createHash } from "node:crypto";
import type { CapacityQuery, CapacityRequest, RateKind, Rate } from "../../ports/limits.ts";

/** A rate whose grants are counted together. */
export interface CountedRate {
  readonly kind: RateKind;
  /**
   * Unique in the drain; the last part of its key. Hosts and rules are hashed: their names may hold anything
   * and be long.
   */
  readonly name: string;
  readonly spacing: Spacing;
}

/** The rates that a query asks, and for each of its requests the positions of those that it needs. */
export function toCountedRates({ limits, requests }: Pick<CapacityQuery, "limits" | "requests">): {
  readonly rates: readonly CountedRate[];
  readonly needs: readonly (readonly number[])[];
} {
  const rates: CountedRate[] = [];
  const positions = new Map<string, number>();
  const positionOf = (rate: Omit<CountedRate, "spacing">, toRateSpacing: () => Spacing): number => {
    const known = positions.get(rate.name);
    if (known !== undefined) return known;
    positions.set(rate.name, rates.length);
    return rates.push({ ...rate, spacing: toRateSpacing() }) - 1;
  };
  const toNeeds = ({ host, rule, ruleLimit }: CapacityRequest): readonly number[] => {
    const { publish, perHost } = limits;
    const needs: number[] = [];
    if (publish !== undefined) {
      needs.push(positionOf({ kind: "publish", name: "publish" }, () => toSpacing(publish)));
    }
    if (perHost !== undefined) {
      needs.push(positionOf({ kind: "host", name: `host:${toShort(host)}` }, () => toSpacing(perHost)));
    }
    if (rule !== null && ruleLimit !== undefined) {
      needs.push(positionOf({ kind: "rule", name: `rule:${toShort(rule)}` }, () => toSpacing(ruleLimit)));
    }
    return needs;
  };
  return { needs: requests.map(toNeeds), rates };
}

function toShort(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** Ceilings count what is published for the first time. */
export function countsForCeilings({ post }: CapacityRequest): boolean {
  return post === "first";
}

export const dayMs = 86_400_000;

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
 * A rate as bursts of at most one second's worth. With g = max and m = ⌊count / g⌋ bursts, spanMs ≥ perMs /
 * m, so any span of perMs meets at most m of them: m · g ≤ count. The rounding costs less than g / count,
 * which is nothing for a rate per second and at most a sixtieth for a rate per minute.
 */
function toSpacing({ count, perMs }: Rate): Spacing {
  const max = Math.max(1, Math.floor((count * secondMs) / perMs));
  const spanMs = Math.ceil(perMs / Math.floor(count / max));
  return { max, spanMs, slotMs: max <= slotsPerSpan ? 1 : Math.ceil(spanMs / slotsPerSpan) };
}
