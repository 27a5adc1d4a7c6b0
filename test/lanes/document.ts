import { builtInAuto } from "../../src/job/contracts/auto-rate.ts";
import { hourMs, minuteMs, secondMs, type TimeScale } from "./time-scale.ts";

/**
 * What a scenario sets otherwise than the shipped defaults. Durations and rates are those of real life. Rates
 * are fixed unless it asks for the built-in ones: what is measured against a rate needs one that stays.
 */
export interface DrainChanges {
  readonly attempts?: { readonly max: number; readonly waitMs: readonly number[] };
  /** Messages a second; null: none. */
  readonly publishPerSecond?: number | null;
  readonly perHostPerSecond?: number | null;
  /** True: the built-in limits, in place of `publishPerSecond`, `perHostPerSecond` and `perPass`. */
  readonly hasBuiltInLimits?: boolean;
  /** Messages of one pass; null: none. */
  readonly perPass?: number | null;
  readonly lane?: "none" | "scaled";
  /** Keys of the source, as the document has them. */
  readonly source?: string;
}

/** The shipped defaults, each duration as much shorter and each rate as much higher as the scale says. */
export function toDocument(scale: TimeScale, archiveDir: string, changes: DrainChanges): string {
  const {
    attempts = { max: 5, waitMs: [2 * minuteMs, 10 * minuteMs, hourMs, 4 * hourMs] },
    publishPerSecond = 20,
    perHostPerSecond = 10,
    hasBuiltInLimits = false,
    perPass = 20_000,
    lane = "scaled",
    source = "",
  } = changes;
  const ms = (realMs: number): string => `${Math.round(scale.here(realMs))}ms`;
  const rate = (perSecond: number | null): string =>
    perSecond === null ? "none" : `${Math.round(perSecond * scale.factor)}/s`;
  const auto = `{ from: ${rate(builtInAuto.fromPerSecond)}, to: ${rate(builtInAuto.toPerSecond)} }`;
  const limits = hasBuiltInLimits
    ? `publish: ${rate(200)}, perHost: ${auto}, perPass: 20000`
    : `publish: ${rate(publishPerSecond)}, perHost: ${rate(perHostPerSecond)}, perPass: ${perPass ?? "none"}`;
  const scaled = `{ canary: 5, watch: ${ms(minuteMs)}, haltAt: 20%, probeEvery: ${ms(5 * minuteMs)} }`;
  return `
version: 1
archive: { dir: ${archiveDir}, keep: 30d }
sources: { default: { retention: 3d, census: ${ms(15 * minuteMs)}${source === "" ? "" : `, ${source}`} } }
drains:
  main:
    mode: live
    schedule: { every: ${ms(30 * secondMs)}, full: ${ms(30 * minuteMs)} }
    minAge: ${ms(2 * minuteMs)}
    lane: ${lane === "none" ? "none" : scaled}
    limits: { ${limits} }
    attempts: { max: ${attempts.max}, wait: [${attempts.waitMs.map(ms).join(", ")}], then: park }
    rules:
      - { name: failed, when: { responseStatus: [422, 429, 5xx, none] }, then: republish }
`;
}
