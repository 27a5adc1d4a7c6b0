import type { BuiltSource } from "../compose/build-source.ts";
import type { Clock } from "../ports/clock.ts";
import { isRedriverError, toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";

/** A service that refuses everything was asked about a dozen messages: they are left alone for this long. */
const refusedRestMs = 10 * 60_000;

/**
 * Looks after halted sources: reads each token again, and asks a halted source for one small listing. Resumes it when that is
 * answered. Where publishing alone is halted the next batch is the proof; one that refuses everything is not asked before its rest is
 * over. `sources` are asked for each time: they change
 * with the document. Runs until the signal aborts; never throws.
 */
export async function probeSources(
  sources: () => Iterable<BuiltSource>,
  everyMs: number,
  { clock, events }: { readonly clock: Clock; readonly events: Events },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await clock.sleep(everyMs, signal);
    } catch {
      return;
    }
    await Promise.all([...sources()].map((source) => probe(source, { clock, events }, signal)));
  }
}

async function probe(
  { runtime, service, token }: BuiltSource,
  { clock, events }: { readonly clock: Clock; readonly events: Events },
  signal: AbortSignal,
): Promise<void> {
  const { health, config } = runtime;
  if (token.reread()) {
    events.emit({ type: "source:token-read", source: config.id, changed: true });
    health.resume("batch");
  }
  const now = health.current("batch");
  if (now.state !== "halted") return;
  if (now.code === "service-refuses-everything") {
    if (clock.monotonic() - now.since >= refusedRestMs) health.resume("batch");
    return;
  }
  try {
    await service.list({ select: {}, count: 1 }, signal).catch((error: unknown) => {
      // A service that answers too much has let us in.
      if (!isRedriverError(error) || error.code !== "answer-too-large") throw error;
    });
    if (now.code === "source-rebound") await runtime.bind();
    health.resume(now.callClass);
    // What refused both for one reason has let us in again.
    const left = health.current("batch");
    if (left.state === "halted" && left.code === now.code) health.resume("batch");
  } catch (error) {
    // Still halted; the reason has been told when it was, and a probe that fails says nothing new.
    if (!isRedriverError(error)) {
      events.emit({ type: "job:failed", kind: "daemon", ...toFailure(error), givenUp: false });
    }
  }
}
