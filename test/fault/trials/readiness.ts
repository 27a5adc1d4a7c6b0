import { setTimeout as delay } from "node:timers/promises";
import type { DaemonProcess } from "../../rig/daemon-process.ts";
import type { Span } from "./pace.ts";

const everyMs = 1_000;

/**
 * Asks each daemon once a second whether it is ready, and counts from its first yes on when it is not. One
 * that does not answer at all is not counted: it may be stopped.
 */
export function watchReadiness(daemons: readonly DaemonProcess[]): { close(): Promise<readonly Span[]> } {
  const ended = new AbortController();
  const spans: Span[] = [];
  const watching = daemons.map(async (daemon) => {
    let wasReady = false;
    while (!ended.signal.aborted) {
      const from = Date.now();
      const status = await askReady(daemon.address());
      await delay(everyMs, undefined, { signal: ended.signal }).catch(() => undefined);
      wasReady ||= status === 200;
      if (wasReady && status !== 200 && status !== 0) spans.push({ from, to: Date.now() });
    }
  });
  return {
    async close() {
      ended.abort();
      await Promise.all(watching);
      return spans;
    },
  };
}

/** 0: no answer. */
async function askReady(address: string | null): Promise<number> {
  try {
    const response = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}
