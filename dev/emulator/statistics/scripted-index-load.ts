/**
 * The scripted load of one search index, as formulas over time: the same moment always has the same values.
 * Queries rise and fall over the day. Every two hours an import writes for 20 minutes faster than the index
 * can take it; the backlog then drains. Rates are per second, times in milliseconds.
 */
const cycleS = 7_200;
const importS = 1_200;
const importRate = 200;
const idleRate = 2;
const backlogRate = 80;
const drainRate = 120;
const queryMean = 40;
const querySwing = 30;
const dayMs = 86_400_000;

/** Takes the place of the scripted backlog from a moment on: a straight line to where it stops. */
export interface SteeredBacklog {
  readonly sinceMs: number;
  readonly from: number;
  readonly perSecond: number;
  readonly to: number;
}

export interface Workload {
  /** Between 0.5 and 1.5: indexes differ in size. */
  readonly scale: number;
  readonly steered: SteeredBacklog | undefined;
}

export function workloadOf(indexId: string, steered?: SteeredBacklog): Workload {
  let hash = 0;
  for (const char of indexId) hash = (hash * 31 + char.codePointAt(0)!) >>> 0;
  return { scale: 0.5 + (hash % 1_000) / 1_000, steered };
}

export const queryRate = ({ scale }: Workload, ms: number): number =>
  scale * (queryMean + querySwing * Math.sin((2 * Math.PI * ms) / dayMs));

export const updateRate = ({ scale }: Workload, ms: number): number =>
  scale * (phaseOf(ms) < importS ? importRate : idleRate);

/** Queries and updates since a moment, at their mean rates. */
export const queriesSince = ({ scale }: Workload, sinceMs: number, ms: number): number =>
  Math.round((scale * queryMean * (ms - sinceMs)) / 1_000);

export const updatesSince = ({ scale }: Workload, sinceMs: number, ms: number): number =>
  Math.round(
    (scale * (importS * importRate + (cycleS - importS) * idleRate) * (ms - sinceMs)) / cycleS / 1_000,
  );

/** Updates accepted and not indexed yet. */
export function backlog({ scale, steered }: Workload, ms: number): number {
  if (steered !== undefined && ms >= steered.sinceMs) {
    const { sinceMs, from, perSecond, to } = steered;
    const reached = from + (perSecond * (ms - sinceMs)) / 1_000;
    return Math.round(perSecond < 0 ? Math.max(to, reached) : Math.min(to, reached));
  }
  const phase = phaseOf(ms);
  const peak = importS * backlogRate;
  return Math.round(
    scale * (phase < importS ? phase * backlogRate : Math.max(0, peak - (phase - importS) * drainRate)),
  );
}

/** Grows by every second update; what is in the backlog is not there yet. */
export function vectorCount(workload: Workload, ms: number): number {
  const updates = updatesSince(workload, monthStart(ms), ms) - backlog(workload, ms);
  return Math.max(0, Math.round(1_000_000 * workload.scale + updates / 2));
}

/** Deterministic jitter in [0, 1), so that curves look measured. */
export function jitter(ms: number): number {
  const value = Math.sin(Math.floor(ms / 1_000) * 12.9898) * 43_758.5453;
  return value - Math.floor(value);
}

export const dayStart = (ms: number): number => Math.floor(ms / dayMs) * dayMs;

export function monthStart(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** Seconds since the last import began. */
const phaseOf = (ms: number): number => (ms / 1_000) % cycleS;
