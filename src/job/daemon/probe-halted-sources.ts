import type { BuiltSource } from "../compose/build-source.ts";
import type { Clock } from "../contracts/clock.ts";
import { isRedriverError, toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import { smallAnswerBytes } from "../listing/list-page.ts";
import type { Health } from "../source/source-health.ts";

type Halt = Extract<Health, { state: "halted" }>;

/** A service that refused everything got about a dozen messages. It is tried again after this long. */
const refusedPauseMs = 10 * 60_000;
/** Wait after a first failed trial of publishing (that trial itself does not wait), doubled each time … */
const firstTrialWaitMs = 30_000;
/** … up to this: every trial may leave a message in doubt. */
const maxTrialWaitMs = 10 * 60_000;

interface ProberParts {
  readonly clock: Pick<Clock, "monotonic">;
  readonly events: Events;
}

/**
 * Probes halted sources once: reads each token again, and asks a halted source for one small listing. An answer resumes
 * it. If publishing alone is halted, the next batch is the proof. Publishing is put on trial, ever more rarely, and at
 * once under another token. A service that refused everything is not tried before its pause is over. Never throws.
 */
export async function probeSources(
  sources: Iterable<BuiltSource>,
  parts: ProberParts,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([...sources].map((source) => probe(source, parts, signal)));
}

async function probe(
  { runtime, service, token }: BuiltSource,
  { clock, events }: ProberParts,
  signal: AbortSignal,
): Promise<void> {
  const { health, config } = runtime;
  if (token.reread()) {
    events.emit({ type: "source:token-read", source: config.id, changed: true });
    health.tryPublishing("afresh");
  }
  const now = health.standing();
  if (now.state !== "halted" || now.onTrial) return;
  const isDue = (halt: Halt): boolean => clock.monotonic() - halt.since >= trialWaitMs(halt);
  if (now.callClass === "batch" && !isDue(now)) return;
  if (now.code === "service-refuses-everything") return health.tryPublishing();
  try {
    await service
      .list({ select: {}, count: 1, maxBytes: smallAnswerBytes }, signal)
      .catch((error: unknown) => {
        // A service that answers too much has let us in.
        if (!isRedriverError(error) || error.code !== "answer-too-large") throw error;
      });
    if (now.code === "source-rebound") await runtime.bind();
    if (now.callClass === "batch") return health.tryPublishing();
    health.resume("dlq");
    // If both classes were refused for one reason, that reason is gone for both.
    const left = health.standing();
    if (left.state === "halted" && left.code === now.code) health.resume("batch");
  } catch (error) {
    // Still halted: the reason was reported then, and a probe that fails is no news.
    if (!isRedriverError(error)) {
      events.emit({ type: "job:failed", kind: "daemon", ...toFailure(error), givenUp: false });
    }
  }
}

/** Ms from the last failure that halted publishing. */
function trialWaitMs({ code, failedTrials }: Halt): number {
  if (code === "service-refuses-everything") return refusedPauseMs;
  if (failedTrials === 0) return 0;
  return Math.min(firstTrialWaitMs * 2 ** (failedTrials - 1), maxTrialWaitMs);
}
