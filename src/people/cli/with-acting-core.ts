import type { Command } from "commander";
import type { Core } from "../../job/door.ts";
import { createFanOut } from "../../telemetry/fan-out.ts";
import { createSecretsToRedact } from "./output/secrets-to-redact.ts";
import type { Teardown } from "../../teardown.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { Io } from "./io.ts";
import type { Loaded } from "./load-config.ts";
import { withCore } from "./with-core.ts";
import { createEventLog } from "../../telemetry/event-log.ts";
import { createLogger, type Logger, type LoggerOptions } from "../../telemetry/logger.ts";
import { createRedact } from "../../telemetry/redact.ts";

// Beside with-core.ts, because it loads pino, which commands that only read can do without.

/**
 * As `withCore`, for a command that publishes and deletes: events go to stderr without any secret, and guards
 * without a reading of their index take one.
 */
export function withActingCore<Result>(
  io: Io,
  command: Command,
  loaded: Loaded,
  { by, observers = [] }: { readonly by: string; readonly observers?: readonly Events[] },
  work: (core: Core, teardown: Teardown) => Promise<Result>,
): Promise<Result> {
  const secrets = createSecretsToRedact(loaded.settings);
  const { logLevel } = command.optsWithGlobals<{ readonly logLevel?: string }>();
  const log = { level: loaded.settings.log.level, isAsked: logLevel !== undefined, secrets: secrets.all };
  const options = {
    by,
    readsIndexes: true,
    onSecret: secrets.add,
    events: createFanOut([createCommandEvents(log, io), ...observers]),
    closeWithinMs: 5_000,
  };
  return withCore(io, loaded, options, (core, teardown) => {
    secrets.use(core);
    return work(core, teardown);
  });
}

/** The level of the settings, whoever set it. `isAsked`: `--log-level` was given on this command line. */
interface CommandLog extends Omit<LoggerOptions, "destination"> {
  readonly isAsked: boolean;
}

/** On stderr: JSON lines under a level that somebody chose, else warnings and errors in words. */
export function createCommandEvents({ level, isAsked, secrets }: CommandLog, io: Io): Events {
  const isChosen = isAsked || level !== "info";
  return createEventLog(
    isChosen
      ? createLogger({ level, secrets, destination: { write: io.err } })
      : createPlainLogger(secrets, io),
  );
}

/** Warnings of a daemon that nobody watches, which are the ordinary course of a command. */
const ordinary: ReadonlySet<unknown> = new Set(["archive:copied"]);
const nothing = (): void => undefined;

function createPlainLogger(secrets: () => readonly string[], io: Io): Logger {
  const redact = createRedact(secrets);
  const report =
    (word: "warning" | "error") =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (ordinary.has(fields["event"])) return;
      const subject = ["drain", "source", "dlqId"].flatMap((name) => {
        const value = fields[name];
        return typeof value === "string" && !message.includes(value) ? [`${name} ${value}`] : [];
      });
      const tail = subject.length === 0 ? "" : ` (${subject.join(", ")})`;
      io.err(`${redact(`${word}: ${message.replaceAll(/\s*\n\s*/g, "; ")}${tail}`)}\n`);
    };
  const error = report("error");
  return {
    debug: nothing,
    info: nothing,
    warn: report("warning"),
    error,
    fatal: error,
    isOn: (level) => level !== "debug" && level !== "info",
  };
}
