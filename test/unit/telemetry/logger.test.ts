import { describe, expect, test } from "vitest";
import { RedriverError } from "../../../src/job/contracts/errors.ts";
import { createLogger, type Logger, type LoggerOptions } from "../../../src/telemetry/logger.ts";

type Line = Record<string, unknown> & { err?: Record<string, unknown> };

function logTo(lines: string[], options: Partial<LoggerOptions> = {}): Logger {
  return createLogger({
    level: "debug",
    secrets: () => ["hunter2-token"],
    destination: { write: (line) => lines.push(line) },
    ...options,
  });
}

function log(write: (logger: Logger) => void, options: Partial<LoggerOptions> = {}): Line[] {
  const lines: string[] = [];
  write(logTo(lines, options));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** An error as a client makes it: with the request, and its body, hung on it. */
function clientError(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET", body: "somebody's body" });
}

describe("a log line", () => {
  test("never holds a secret, neither in fields nor in message, stack or cause of an error", () => {
    const cause = new Error("cause with hunter2-token");
    const error = new Error("GET https://x/?token=hunter2-token", { cause });
    error.stack = `Error: ${error.message}\n    at hunter2-token (file.ts:1:1)`;
    const [line] = log((logger) =>
      logger.error({ err: error, note: "hunter2-token", header: "Bearer hunter2-token" }, "hunter2-token"),
    );
    expect(JSON.stringify(line)).not.toContain("hunter2");
    expect(line?.err).toMatchObject({
      message: "GET https://x/?token=[redacted]",
      stack: ["at [redacted] (file.ts:1:1)"],
      cause: { message: "cause with [redacted]" },
    });
  });

  test("tells an error's name, code, message, place and causes", () => {
    const error = new RedriverError("service-timeout", "no answer", { cause: clientError() });
    const [line] = log((logger) => logger.warn({ err: error }, "failed"));
    expect(line?.err).toMatchObject({
      type: "RedriverError",
      code: "service-timeout",
      message: "no answer",
      cause: { type: "Error", code: "ECONNRESET", message: "socket hang up" },
    });
    expect(line?.err?.stack).toEqual(
      expect.arrayContaining([expect.stringContaining("telemetry/logger.test.ts")]),
    );
  });

  test("holds no property that a client hung on its error, and nothing that JSON.parse quotes", () => {
    let syntaxError: unknown;
    try {
      JSON.parse("somebody's body");
    } catch (error) {
      syntaxError = error;
    }
    const lines = log((logger) => {
      logger.error({ err: clientError() }, "a");
      logger.error({ err: syntaxError }, "b");
      logger.error({ err: "somebody's body" }, "c");
    });
    expect(lines.length).toBe(3);
    expect(JSON.stringify(lines)).not.toContain("somebody");
  });

  test("that cannot be written stops nobody", () => {
    const logger = createLogger({
      level: "info",
      secrets: () => [],
      destination: {
        write: () => {
          throw new Error("disk full");
        },
      },
    });
    expect(() => logger.info({}, "hello")).not.toThrow();
  });
});
