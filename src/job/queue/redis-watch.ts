import type { Clock } from "../contracts/clock.ts";
import type { Events } from "../contracts/events.ts";
import type { QueueConnection } from "./connection.ts";
import { createFailureThrottle } from "./failure-report-throttle.ts";
import { saysOnlyAway, toQueueFailure } from "./translate-error.ts";

/**
 * Turns what happens to the connections into `redis:lost` and `redis:ready`, once per outage: lost at the first close
 * or error, ready when all are ready again. Other errors of the workers become `job:failed` of kind `queue`. The workers'
 * own connection errors are dropped: they show the same server, once per command.
 */
export function createRedisWatch(
  connections: readonly QueueConnection[],
  events: Events,
  clock: Pick<Clock, "monotonic">,
) {
  let lost = false;
  let stopped = false;
  const mayReport = createFailureThrottle(clock);

  const onLost = (message: string): void => {
    if (stopped || lost) return;
    lost = true;
    events.emit({ type: "redis:lost", message });
  };
  const onReady = (): void => {
    if (stopped || !lost || connections.some((connection) => connection.status !== "ready")) return;
    lost = false;
    events.emit({ type: "redis:ready" });
  };

  for (const connection of connections) {
    connection.on("close", () => onLost("the connection was closed"));
    connection.on("error", (error) => onLost(error.message));
    connection.on("ready", onReady);
  }

  return {
    /** Takes an `error` event of a queue or worker. Never throws. */
    onError(error: Error): void {
      if (stopped || saysOnlyAway(error)) return;
      const failure = toQueueFailure(error);
      if (!mayReport(failure.code)) return;
      events.emit({ type: "job:failed", kind: "queue", ...failure, givenUp: false });
    },
    /** No more events. The listeners stay, so that a late error stays handled. */
    stop(): void {
      stopped = true;
    },
  };
}
