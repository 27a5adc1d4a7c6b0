import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const main = resolve(import.meta.dirname, "../../dist/main.js");

export interface Ended {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

export type LogLine = Readonly<Record<string, unknown>>;

/** The built command as a child process of one test; killed with it. */
export interface Running {
  readonly child: ChildProcess;
  /** JSON lines of stdout so far. */
  readonly log: LogLine[];
  /** Resolves with the first line, past ones included, that fits. */
  line(fits: (line: LogLine) => boolean, withinMs?: number): Promise<LogLine>;
  readonly ended: Promise<Ended>;
}

/**
 * Only what the test gives reaches the command, and what a process needs to run. Daemons of other tests are no
 * daemons beside it.
 */
export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  return startProgram(main, args, { REDRIVER_SOCKET_PATH: "none", ...env });
}

/** Another build of the command, by the path of its main.js. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Running {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const log: LogLine[] = [];
  const waiting = new Set<() => void>();
  let out = "";
  let err = "";
  createInterface({ input: child.stdout }).on("line", (text) => {
    out += `${text}\n`;
    if (!text.startsWith("{")) return;
    try {
      log.push(JSON.parse(text) as LogLine);
    } catch {
      return;
    }
    for (const check of waiting) check();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8");
  });
  const ended = new Promise<Ended>((resolveEnded) => {
    child.on("close", (exitCode) => resolveEnded({ exitCode, out, err }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGCONT");
      child.kill("SIGKILL");
    }
    await ended;
  });
  return {
    child,
    log,
    ended,
    line: (fits, withinMs = 45_000) =>
      new Promise((found, failed) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          failed(
            new Error(
              `no such line within ${withinMs} ms; the last lines: ${out.slice(-2_000)} ${err.slice(-2_000)}`,
            ),
          );
        }, withinMs);
        const check = (): void => {
          const line = log.find(fits);
          if (line === undefined) return;
          clearTimeout(timer);
          waiting.delete(check);
          found(line);
        };
        waiting.add(check);
        check();
      }),
  };
}

export async function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return start(args, env).ended;
}

/** A folder of one test. */
export function createFolder(files: Readonly<Record<string, string>> = {}): {
  readonly path: string;
  write(name: string, text: string): string;
} {
  const path = mkdtempSync(join(tmpdir(), "redriver-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = join(path, name);
    writeFileSync(file, text);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write };
}
