import type { Clock } from "../ports/clock.ts";

/** Prometheus asks every 15 s or so. Who asks more often than once a second gets the same text again. */
const maxAgeMs = 1_000;

/**
 * Renders at most once a second and one at a time; everybody who asks meanwhile waits for that render or gets its bytes. They
 * are one buffer for all, so that a thousand answers that nobody reads weigh no more than one. A failure counts as a render.
 */
export function createSharedScrape(
  render: () => Promise<string>,
  clock: Pick<Clock, "monotonic">,
): () => Promise<Uint8Array<ArrayBuffer>> {
  let latest: Promise<Uint8Array<ArrayBuffer>> | null = null;
  let startedAt = 0;
  let isUnderWay = false;

  async function renderOnce(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return new TextEncoder().encode(await render());
    } finally {
      isUnderWay = false;
    }
  }

  return () => {
    if (latest !== null && (isUnderWay || clock.monotonic() - startedAt < maxAgeMs)) return latest;
    isUnderWay = true;
    startedAt = clock.monotonic();
    latest = renderOnce();
    return latest;
  };
}
