/**
 * The daemon of `redriver run`, composed of the same parts, with failpoints around every port. Settings come
 * from the environment as always; FAULT_POINT and FAULT_KIND say where and how to end, FAULT_RECORD where to
 * write what was passed, FAULT_CRASH whether the power goes too, FAULT_TURNED_UP whether its knobs are.
 */
import { createFanOut } from "../../src/telemetry/fan-out.ts";
import { buildNotices } from "../../src/people/notices/build-notices.ts";
import { createReadIndex } from "../../src/job/compose/build-index-readings.ts";
import { createDocumentFile } from "../../src/config/document/load-document.ts";
import { openLiveCore } from "../../src/job/compose/open-core.ts";
import { replicaName, systemClock } from "../../src/system-world.ts";
import { processIo } from "../../src/people/cli/io.ts";
import { createTeardown } from "../../src/teardown.ts";
import { readDocumentFile } from "../../src/config/document/load-document.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { readSecret } from "../../src/config/read-secret.ts";
import { checkFit } from "../../src/config/settings/check-against-document.ts";
import { loadSettings } from "../../src/config/settings/load-settings.ts";
import { endOnSignals } from "../../src/people/cli/run/end-on-signals.ts";
import { runDaemon } from "../../src/job/daemon/run-daemon.ts";
import { createBullmqQueue } from "../../src/job/queue/bullmq-queue.ts";
import { createRedis, toBullmqConnection } from "../../src/job/redis/connect.ts";
import { createEventLog } from "../../src/telemetry/event-log.ts";
import { createIndexReadings } from "../../src/job/statistics/last-index-readings.ts";
import { createRedisStatisticsStore } from "../../src/job/store/statistics/redis-statistics-store.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { createAtWork } from "../support/at-work.ts";
import { decorateDaemon, decorateQueue } from "./decorate-daemon.ts";
import { createFailpoints, die } from "./failpoints.ts";
import type { FromDaemon } from "./faulty-daemon.ts";
import { createFaultDisk, type FaultDisk } from "./fault-disk.ts";
import { onlyNotices } from "../support/only-notices.ts";
import { wrapPort } from "./wrap-port.ts";

/** Shorter, as the takeover is here: 20 s instead of 60 s. */
const lock = { durationMs: 8_000, stalledIntervalMs: 4_000 };

// A daemon never outlives the run that it is part of.
const endAlone = (): void => process.exit(1);
process.once("disconnect", endAlone);

const outcome = loadSettings({ env: process.env, flags: {} });
if (!outcome.ok) throw new Error(outcome.problems.map(formatProblem).join("\n"));
const { settings } = outcome;
const loaded = readDocumentFile(settings.drains.file, { now: Date.now() });
if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join("\n"));
const unfit = checkFit(settings, loaded.document);
if (unfit.length > 0) throw new Error(unfit.map(formatProblem).join("\n"));

const { FAULT_POINT: target, FAULT_KIND: kind, FAULT_CRASH: crash, FAULT_RECORD: recordFile } = process.env;
const report = (message: FromDaemon): void => void process.send?.(message);
const atWork = createAtWork((most) => report({ kind: "at-work", most }));
const stopItself = (): void => void process.kill(process.pid, "SIGTERM");
let disk: FaultDisk | null = null;
const failpoints = createFailpoints({
  target,
  recordFile,
  end: () => {
    if (kind !== "kill") return stopItself();
    if (crash === "power") disk?.cutPower();
    die();
  },
  withhold: (place) =>
    new Promise((resolve) => {
      process.once("message", () => resolve());
      report({ kind: "withhold", place });
    }),
});
disk = createFaultDisk(failpoints);

const logger = createLogger({
  level: settings.log.level,
  secrets: () => [],
  destination: { write: (line) => void process.stdout.write(line) },
});
const events = createFanOut([
  createEventLog(logger),
  {
    emit: ({ type }) => {
      if (type === "daemon:started") report({ kind: "started" });
      if (type !== "daemon:stopping") return;
      report({ kind: "stopping" });
      if (kind === "stop-twice") stopItself();
    },
  },
]);
const teardown = createTeardown();
const { stop, closed } = endOnSignals(processIo.onSignal, settings.shutdown.hardMs);
teardown.add("signals", closed);
const { url, keyPrefix } = settings.redis;
const redis = createRedis({ url }, { role: "fault", keyPrefix });
teardown.add("redis of the guard book", () => redis.close());
const env = process.env;
const live = openLiveCore({
  settings,
  document: loaded.document,
  env,
  events,
  teardown,
  decorate: decorateDaemon({
    failpoints,
    disk,
    redis,
    atWork,
    isTurnedUp: process.env["FAULT_TURNED_UP"] !== undefined,
  }),
});
const queue = createBullmqQueue({
  createConnection: (role) => toBullmqConnection({ url }, role),
  keyPrefix,
  clock: systemClock,
  events,
  lock,
});
const readings = createIndexReadings({
  store: wrapPort("statistics", createRedisStatisticsStore(redis), failpoints),
  read: createReadIndex(settings, (ref) => readSecret(ref, { env, settings })),
  clock: systemClock,
  events,
});

await runDaemon({
  createPeople: () =>
    onlyNotices(buildNotices((ref) => readSecret(ref, { env, settings }), events, systemClock)),
  live,
  documentFile: createDocumentFile(settings),
  documentText: loaded.text,
  onAdopted: () => undefined,
  replica: replicaName(),
  queue: decorateQueue(queue, failpoints, atWork),
  events,
  clock: systemClock,
  metrics: { render: () => Promise.resolve(""), contentType: "text/plain" },
  version: "fault",
  stop,
  readStatistics: readings.take,
});

const unclean = await teardown.run(2_000);
if (unclean.length > 0) throw new Error(`could not be closed in time: ${unclean.join(", ")}`);
process.off("disconnect", endAlone);
process.disconnect();
