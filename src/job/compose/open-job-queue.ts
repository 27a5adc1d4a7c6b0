import type { SourceId } from "../contracts/ids.ts";
import { systemClock } from "../../system-world.ts";
import { readNextRuns } from "../queue/apply-schedules.ts";
import { requestSweep } from "../queue/command-queue.ts";
import { toBullmqConnection } from "../redis/connect.ts";
import type { OpenParts } from "./open-core.ts";

/** For a process that works none. Fails with `redis-unavailable`. Connected once it is asked. */
export function openJobQueue({ settings: { redis }, teardown }: Pick<OpenParts, "settings" | "teardown">) {
  let opened: ReturnType<typeof toBullmqConnection> | undefined;
  const connect = (): ReturnType<typeof toBullmqConnection> => {
    if (opened !== undefined) return opened;
    const connection = toBullmqConnection(redis.target, "queue");
    teardown.add("queue connection", () => connection.disconnect());
    return (opened = connection);
  };
  return {
    /** When each schedule runs next, by its id, Unix ms; in the past while nobody works. */
    nextRuns: (): Promise<ReadonlyMap<string, number>> => readNextRuns(connect(), redis.keyPrefix),
    /** Asks the daemons for a sweep now: what a lane wants is seen in a moment. */
    requestSweep: (source: SourceId): Promise<void> =>
      requestSweep(connect(), redis.keyPrefix, source, systemClock.now()),
  };
}
