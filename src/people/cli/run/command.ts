import { createFanOut } from "../../../telemetry/fan-out.ts";
import { openDaemon } from "../../../job/door.ts";
import { buildNotices } from "../../notices/build-notices.ts";
import { readQueueFacts } from "../../read/queue-facts.ts";
import { randomIdentities, replicaName, systemClock } from "../../../system-world.ts";
import { createSecretsToRedact } from "../output/secrets-to-redact.ts";
import { createTeardown, type Teardown } from "../../../teardown.ts";
import { readSecret, type SecretReading } from "../../../config/read-secret.ts";
import { answerCommands } from "../beside/answer-commands.ts";
import { toSocketPath } from "../beside/wire.ts";
import { endOnSignals } from "./end-on-signals.ts";
import { takeWarnings } from "./node-warnings.ts";
import type { SecretRef } from "../../../job/contracts/drains-document.ts";
import type { Events } from "../../../job/contracts/events.ts";
import { createConsole } from "../../console/console.ts";
import { createPlanDesk } from "../../operations/plans/plan-desk.ts";
import { createBoundedLines } from "../../../telemetry/bounded-lines.ts";
import { createAuditLog, openAuditLines } from "../../../telemetry/audit-log-lines.ts";
import { createEventLog } from "../../../telemetry/event-log.ts";
import { createLogger } from "../../../telemetry/logger.ts";
import { createMetrics } from "../../../telemetry/metrics.ts";
import type { CommandContext, Register } from "../io.ts";
import { loadAll, type LoadedWhole } from "../load-config.ts";
import { version } from "../version.ts";

const closeEachWithinMs = 2_000;
/** Characters. Some 3,000 lines, while a reader takes a breath. */
const maxWaitingLog = 1_048_576;

export const registerRun: Register = (program, context) => {
  program
    .command("run")
    .description("the daemon: drains by schedule until SIGTERM; SIGHUP reads the document and secrets again")
    .action(async (_options, command) => {
      context.exitWith(await run(loadAll(command, context.io), context));
    });
};

async function run(loaded: LoadedWhole, context: CommandContext): Promise<number> {
  const teardown = createTeardown();
  try {
    await runUntilStopped(loaded, context, teardown);
    return 0;
  } finally {
    // Also when the start failed half-way: an open connection would keep the process from ending.
    const unclean = await teardown.run(closeEachWithinMs);
    if (unclean.length > 0) context.io.err(`redriver: could not be closed in time: ${unclean.join(", ")}\n`);
  }
}

async function runUntilStopped(
  { settings, document, text }: LoadedWhole,
  { io, runCommand }: CommandContext,
  teardown: Teardown,
): Promise<void> {
  const { stop, closed } = endOnSignals(
    (listener) => io.onSignal(listener, ["SIGINT", "SIGTERM"]),
    settings.shutdown.hardMs,
  );
  // First in, so last: a second signal ends the process also while the rest is being closed.
  teardown.add("signals", closed);
  const secrets = createSecretsToRedact(settings);
  // Metrics read facts of the core, which emits the events that metrics count: the list is completed below.
  const listeners: Events[] = [];
  const events = createFanOut(listeners);
  const lines = createBoundedLines({
    stream: process.stdout,
    maxWaiting: maxWaitingLog,
    onResumed: (dropped) => events.emit({ type: "log:dropped", lines: dropped }),
  });
  // All that is closed before may still log. A reader that stalls must not keep the process.
  teardown.add("log", () => lines.flushed(closeEachWithinMs / 2));
  const logger = createLogger({ level: settings.log.level, secrets: secrets.all, destination: lines });
  listeners.push(createEventLog(logger));
  const giveWarningsBack = takeWarnings(({ name, message }) => {
    events.emit({ type: "process:warned", name, message });
  });
  teardown.add("warnings", giveWarningsBack);
  // Whatever the level of the log: an act is never left out.
  const { audit } = settings.log;
  const destination = openAuditLines(audit, lines);
  const logAct = createAuditLog(createLogger({ level: "info", secrets: secrets.all, destination }));
  const readOwnSecret = (ref: SecretRef): SecretReading => {
    const reading = readSecret(ref, { env: io.env, settings });
    if (reading.ok) secrets.add(reading.value);
    return reading;
  };
  const daemon = await openDaemon({
    settings,
    document,
    env: io.env,
    events,
    teardown,
    onSecret: secrets.add,
    // What Redis did not take may have no other place.
    onAudit: (entry, state) => {
      if ((audit === "none") === (state === "unwritten")) logAct(entry);
    },
    readSecret: readOwnSecret,
  });
  const { live } = daemon;
  secrets.use(live.current());

  let countStandstills: (() => number) | undefined;
  let lastFailure: string | null = null;
  listeners.push({
    emit(event) {
      if (event.type === "job:failed") lastFailure = `${event.kind} job: ${event.message} (${event.code})`;
    },
  });
  const metrics = createMetrics({
    version,
    consoleUrl: settings.console.url,
    readFacts: () => readQueueFacts(live.current()),
    indexGauges: daemon.indexGauges,
    memory: () => live.memoryUse(),
    droppedLogLines: lines.dropped,
    standstills: () => countStandstills?.() ?? 0,
    clock: systemClock,
  });
  metrics.adopt(document);
  listeners.push(metrics.events);

  const socketPath = toSocketPath(settings.socket.path, io.env);
  if (socketPath !== null) {
    const socket = await answerCommands(socketPath, {
      runCommand,
      instance: replicaName(),
      inForce: (file) => (file === settings.drains.file ? live.current().document : null),
      warn: (message) => events.emit({ type: "process:warned", name: "SocketWarning", message }),
    });
    if (socket !== null) teardown.add("socket", socket.close);
  }

  await daemon.run({
    createPeople: (told) => {
      const plans = createPlanDesk({
        acquire: () => live.acquire(),
        book: live.current().plans,
        clock: systemClock,
        identities: randomIdentities,
        replica: replicaName(),
        version,
        stop,
        ...told,
      });
      const console = createConsole(
        {
          settings: settings.console,
          live,
          plans,
          ...daemon.jobs,
          version,
          replica: replicaName(),
          now: systemClock.now,
          stop,
        },
        events,
      );
      const notices = buildNotices(readOwnSecret, events, systemClock);
      return { console, notices, closePlans: (deadlines) => plans.close(deadlines) };
    },
    documentText: text,
    onAdopted: (adopted) => {
      secrets.use(live.current());
      metrics.adopt(adopted);
    },
    metrics,
    standstills: {
      lastFailure: () => lastFailure,
      count: (drains) => (countStandstills = drains),
    },
    version,
    stop,
    onReload: (listener) => io.onSignal(listener, ["SIGHUP"]),
  });
}
