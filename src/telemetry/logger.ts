import { pino, stdTimeFunctions } from "pino";
import { framesOf, isRedriverError } from "../job/contracts/errors.ts";
import { createRedact } from "./redact.ts";

export type LineLevel = "debug" | "info" | "warn" | "error" | "fatal";

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** One JSON line per call, its time in ISO 8601, on the destination. Never throws. */
export interface Logger extends Readonly<Record<LineLevel, Write>> {
  /** False: a line of this level is not written, so its text need not be made. */
  isOn(level: LineLevel): boolean;
}

export interface LoggerOptions {
  readonly level: LineLevel | "silent";
  readonly secrets: () => readonly string[];
  /** Commands do not log to stdout, because data is there; the daemon may. */
  readonly destination: { readonly write: (line: string) => void };
}

export function createLogger({ level, secrets, destination }: LoggerOptions): Logger {
  const redact = createRedact(secrets);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => toErrorFields(error, 0) },
      // Redacts the finished line, so that every secret in it passes here.
      hooks: { streamWrite: redact },
    },
    destination,
  );
  const write =
    (at: LineLevel): Write =>
    (fields, message) => {
      try {
        logger[at](fields, message);
      } catch {
        // A log that cannot be written must not stop the work that it reports.
      }
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    fatal: write("fatal"),
    isOn: (asked) => logger.isLevelEnabled(asked),
  };
}

const maxCauseDepth = 5;

/** No other property: clients attach requests and bodies to their errors. A SyntaxError quotes its input. */
function toErrorFields(error: unknown, depth: number): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const quotes = error instanceof SyntaxError;
  const code: unknown = isRedriverError(error) ? error.code : "code" in error ? error.code : undefined;
  return {
    type: error.name,
    ...(typeof code === "string" ? { code } : {}),
    ...(quotes ? {} : { message: error.message }),
    stack: framesOf(error),
    ...(error.cause === undefined || depth >= maxCauseDepth
      ? {}
      : { cause: toErrorFields(error.cause, depth + 1) }),
  };
}
