import type { ReadSecret } from "../../config/read-secret.ts";
import { createDocumentFile } from "../../config/document/load-document.ts";
import { replicaName, systemClock } from "../../system-world.ts";
import { buildIndexReadings } from "../compose/build-index-readings.ts";
import { openJobQueue } from "../compose/open-job-queue.ts";
import { openLiveCore, type OpenParts } from "../compose/open-core.ts";
import { createBullmqQueue } from "../queue/bullmq-queue.ts";
import { toBullmqConnection } from "../redis/connect.ts";
import { runDaemon, type DaemonParts } from "./run-daemon.ts";

type Built = "live" | "documentFile" | "replica" | "queue" | "events" | "clock" | "readStatistics";

const closeWithinMs = 2_000;

export function openDaemon(setup: OpenParts & { readonly readSecret: ReadSecret }) {
  const { settings, events, teardown, readSecret } = setup;
  const live = openLiveCore(setup);
  const readings = buildIndexReadings(live.current().redis, settings, readSecret, events);
  return {
    live,
    jobs: openJobQueue(setup),
    indexGauges: () => readings.gauges(live.current().document.indexes.map(({ name }) => name)),
    /** Runs until `stop` aborts. Answers true if everything ended within the deadline. */
    run(parts: Omit<DaemonParts, Built>): Promise<boolean> {
      const queue = createBullmqQueue({
        createConnection: (role) => toBullmqConnection(settings.redis.target, role),
        keyPrefix: settings.redis.keyPrefix,
        clock: systemClock,
        events,
      });
      // Closing it twice is one closing; the daemon closes it with its deadlines.
      teardown.add("queue", () => queue.close({ softMs: 0, hardMs: closeWithinMs }));
      return runDaemon({
        ...parts,
        live,
        documentFile: createDocumentFile(settings),
        replica: replicaName(),
        queue,
        events,
        clock: systemClock,
        readStatistics: readings.take,
      });
    },
  };
}
