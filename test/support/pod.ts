import { onlyNotices } from "./only-notices.ts";
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { createDocumentFile } from "../../src/config/document/load-document.ts";
import type { LiveCore } from "../../src/job/compose/live-core.ts";
import { openLiveCore } from "../../src/job/compose/open-core.ts";
import { buildNotices } from "../../src/people/notices/build-notices.ts";
import { readSecret } from "../../src/config/read-secret.ts";
import { systemClock } from "../../src/system-world.ts";
import { createTeardown } from "../../src/teardown.ts";
import { runDaemon } from "../../src/job/daemon/run-daemon.ts";
import type { Emulator } from "../../dev/emulator/index.ts";
import { createBullmqQueue } from "../../src/job/queue/bullmq-queue.ts";
import { toBullmqConnection } from "../../src/job/redis/connect.ts";
import { createFolder } from "./command.ts";
import { settingsOf } from "./loaded-document.ts";
import { recordEvents, type RecordedEvents } from "./record-events.ts";

export interface PodOptions {
  readonly emulator: Emulator;
  readonly redisUrl: string;
  readonly keyPrefix: string;
  /** The drains document. */
  readonly document: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A daemon in this process, whole but for logs and metrics. */
export interface Pod extends Pick<RecordedEvents, "recordsOf"> {
  readonly events: RecordedEvents["all"];
  readonly eventsOf: RecordedEvents["of"];
  readonly live: LiveCore;
  /** As SIGTERM does; resolves when it has ended. */
  stop(): Promise<void>;
}

export function startPod({ emulator, redisUrl, keyPrefix, document, settings: given }: PodOptions): Pod {
  const folder = createFolder({ "drains.yaml": document });
  const settings = settingsOf({
    env: { REDRIVER_SERVICE_TOKEN: emulator.token, REDRIVER_SERVICE_URL: emulator.url },
    flags: {
      "redis.url": redisUrl,
      "redis.keyPrefix": keyPrefix,
      "drains.file": `${folder.path}/drains.yaml`,
      "http.host": "127.0.0.1",
      "http.port": 0,
      "sweep.every": "1s",
      ...given,
    },
  });
  const documentFile = createDocumentFile(settings);
  const reading = documentFile.load(document, Date.now());
  if (!reading.ok) throw new Error(reading.problems.join("\n"));

  const events = recordEvents();
  const teardown = createTeardown();
  const live = openLiveCore({ settings, document: reading.document, env: {}, events, teardown });
  const queue = createBullmqQueue({
    createConnection: (role) => toBullmqConnection({ url: redisUrl }, role),
    keyPrefix,
    clock: systemClock,
    events,
  });
  const stop = new AbortController();
  const ended = runDaemon({
    createPeople: () =>
      onlyNotices(buildNotices((ref) => readSecret(ref, { env: {}, settings }), events, systemClock)),
    live,
    documentFile,
    documentText: document,
    onAdopted: () => undefined,
    replica: `pod-${randomUUID()}`,
    queue,
    events,
    clock: systemClock,
    metrics: { render: () => Promise.resolve(""), contentType: "text/plain" },
    readStatistics: () => Promise.resolve(),
    version: "test",
    stop: stop.signal,
  });
  const end = async (): Promise<void> => {
    stop.abort("stopped by the test");
    await ended;
    await teardown.run(2_000);
  };
  onTestFinished(end);
  return {
    live,
    events: events.all,
    eventsOf: events.of,
    recordsOf: events.recordsOf,
    stop: end,
  };
}
