import type { Clock } from "../contracts/clock.ts";

export interface EndableCall {
  end(by: "timeout" | "stopped"): void;
}

export type CallDeadlines = ReturnType<typeof createCallDeadlines>;

/**
 * The running calls of one operation. All have the same time, so the oldest is due first, and one timer is
 * enough for all of them. It may outlast the last call, so it is not set anew for each.
 */
export function createCallDeadlines(timeoutMs: number, clock: Pick<Clock, "monotonic" | "sleep">) {
  /** With the moment at which each is due, the oldest first. */
  const running = new Map<EndableCall, number>();
  const closing = new AbortController();
  let isWatching = false;

  const watch = async (): Promise<void> => {
    for (let [first] = running; first !== undefined; [first] = running) {
      const [call, dueAt] = first;
      const leftMs = dueAt - clock.monotonic();
      if (leftMs > 0) {
        await clock.sleep(Math.ceil(leftMs), closing.signal);
      } else {
        running.delete(call);
        call.end("timeout");
      }
    }
    isWatching = false;
  };
  return {
    add(call: EndableCall): void {
      if (closing.signal.aborted) {
        call.end("stopped");
        return;
      }
      running.set(call, clock.monotonic() + timeoutMs);
      if (isWatching) return;
      isWatching = true;
      // Only the end of all calls ends a sleep early.
      watch().catch(() => undefined);
    },
    delete(call: EndableCall): void {
      running.delete(call);
    },
    close(): void {
      closing.abort();
      for (const call of running.keys()) call.end("stopped");
    },
  };
}
