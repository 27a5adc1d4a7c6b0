import type { OpenVerdict } from "../contracts/passes.ts";
import type { DrainRuntime } from "../runtime.ts";
import { horizonBehindMs, selectRange } from "./select-dates.ts";
import { knownOffsetMs } from "./service-clock-offset.ts";

export interface PassSettings {
  readonly overlapMs: number;
  /** A pass without progress for this long is closed as abandoned. */
  readonly abandonAfterMs: number;
  /** A person at a terminal wants to see everything, not only new records. */
  readonly alwaysFull?: boolean;
}

/** Opens a pass of this drain over a frozen range, unless one is open. Throws if the source cannot be asked. */
export async function openPass(
  drain: DrainRuntime,
  settings: PassSettings,
  signal: AbortSignal,
  askForClock: () => Promise<number> = () => knownOffsetMs(drain, signal),
): Promise<OpenVerdict> {
  const { source, config, documentHash, countingKey } = drain;
  source.health.check();
  const offsetMs = await askForClock();
  await source.bind().catch((error: unknown) => {
    source.health.note(error);
    throw error;
  });
  const now = source.clock.now();
  const verdict = await source.passes.open({
    passId: source.identities.passId(),
    drain: config.name,
    source: source.config.id,
    mode: config.mode,
    documentHash,
    countingKey,
    ...selectRange(config.dates, now + offsetMs, Math.floor(Math.min(now, now + offsetMs)) - horizonBehindMs),
    fullEveryMs: config.fullEveryMs,
    mayBeNew: settings.alwaysFull !== true && (await source.book.datesMean()) === "entered",
    overlapMs: settings.overlapMs,
    abandonAfterMs: settings.abandonAfterMs,
  });
  if (verdict.abandoned !== null) {
    const { pass, tally: counts, durationMs } = verdict.abandoned;
    const { drain: name, passId } = pass;
    const closed = { drain: name, passId, outcome: "abandoned", counts, durationMs } as const;
    source.events.emit({ type: "pass:closed", ...closed });
  }
  if (verdict.kind === "opened") {
    const { passId, kind, mode, from, to } = verdict.pass;
    source.events.emit({ type: "pass:opened", drain: config.name, passId, kind, mode, from, to });
  }
  return verdict;
}
