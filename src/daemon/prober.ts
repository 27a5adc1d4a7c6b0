import type { BuiltSource } from "../compose/build-source.ts";
import type { Clock } from "../ports/clock.ts";
import { isRedriverError, toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";

/** A source that refused everything accepts listings all along, so a listing proves nothing; it rests this long. */
const refusalRestMs = 10 * 60_000;

/**
 * Looks after halted sources: reads each token again, and asks a halted source for one small listing. Resumes it when that is
 * answered. `sources` are asked for each time: they change with the document. Runs until the signal aborts; never throws.
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
  if (token.reread()) events.emit({ type: "source:token-read", source: runtime.config.id, changed: true });
  const health = runtime.health.current();
  if (health.state !== "halted") return;
  if (health.code === "service-refuses-everything") {
    if (clock.now() - health.since >= refusalRestMs) runtime.health.resume();
    return;
  }
  try {
    await service.list({ select: {}, count: 1 }, signal);
    if (health.code === "source-rebound") await runtime.bind();
    runtime.health.resume();
  } catch (error) {
    // Still halted; the reason has been told when it was, and a probe that fails says nothing new.
    if (!isRedriverError(error)) {
      events.emit({ type: "job:failed", kind: "daemon", ...toFailure(error), givenUp: false });
    }
  }
}
