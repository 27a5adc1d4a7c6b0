import { isTooLarge } from "../listing/list-within-memory.ts";
import { smallAnswerBytes } from "../listing/list-page.ts";
import type { OpenVerdict } from "../../ports/passes.ts";
import { emptyTally } from "../../ports/tally.ts";
import type { DrainRuntime } from "../runtime.ts";
import { horizonBehindMs, selectRange } from "./select-dates.ts";

/** Enough answers to believe any clock that they agree on. */
const maxAskedForClock = 10;

export interface PassSettings {
  /** Successive passes overlap by this. */
  readonly overlapMs: number;
  /** A pass without progress for this long is closed as abandoned. */
  readonly abandonAfterMs: number;
  /** A person at a terminal wants to see everything, not only new records. */
  readonly alwaysFull?: boolean;
}

/**
 * Opens a pass of this drain over a frozen range, unless one is open. The horizon is the earlier of our clock
 * and the service's, less 5 s. Throws if the source cannot be asked.
 */
export async function openPass(
  drain: DrainRuntime,
  settings: PassSettings,
  signal: AbortSignal,
  askForClock: () => Promise<number> = () => knownOffsetMs(drain, signal),
): Promise<OpenVerdict> {
  const { source, config, documentHash } = drain;
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
    ...selectRange(config.dates, now + offsetMs, Math.floor(Math.min(now, now + offsetMs)) - horizonBehindMs),
    fullEveryMs: config.fullEveryMs,
    mayBeNew: settings.alwaysFull !== true && (await source.book.datesMean()) === "entered",
    overlapMs: settings.overlapMs,
    abandonAfterMs: settings.abandonAfterMs,
  });
  if (verdict.abandoned !== null) {
    const { drain: name, passId, startedAt } = verdict.abandoned;
    const durationMs = Math.max(0, now - startedAt);
    const closed = { drain: name, passId, outcome: "abandoned", counts: emptyTally, durationMs } as const;
    source.events.emit({ type: "pass:closed", ...closed });
  }
  if (verdict.kind === "opened") {
    const { passId, kind, mode, from, to } = verdict.pass;
    source.events.emit({ type: "pass:opened", drain: config.name, passId, kind, mode, from, to });
  }
  return verdict;
}

/**
 * The offset of the service's clock, in ms. Any answer shows it, even one that is too large. Before the first
 * answer a small listing asks for it. A clock far from ours is believed after several answers.
 */
export async function knownOffsetMs({ source }: DrainRuntime, signal: AbortSignal): Promise<number> {
  const { service } = source;
  for (let asked = 0; asked < maxAskedForClock && service.clockOffsetMs("agreed") === undefined; asked += 1) {
    try {
      await service.list({ select: {}, count: 1, maxBytes: smallAnswerBytes }, signal);
    } catch (error) {
      if (!isTooLarge(error)) {
        source.health.note(error);
        throw error;
      }
    }
    // This service dates no answers.
    if (service.clockOffsetMs() === undefined) return 0;
  }
  return service.clockOffsetMs() ?? 0;
}
