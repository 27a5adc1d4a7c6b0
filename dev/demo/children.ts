import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** The built program and the built demo, seen from the sources and from dist-dev. */
const root = path.resolve(import.meta.dirname, "../..");
export const mainScript = path.join(root, "dist/main.js");
const preload = pathToFileURL(path.join(root, "dist-dev/demo/end-with-parent.js")).href;

/** As `process.env` is. */
export type ChildEnvironment = Readonly<Record<string, string | undefined>>;

const ours = /^(REDRIVER|QSTASH|UPSTASH)_/i;

/**
 * The environment of every process that the demo starts: nothing that could point it at somebody's real
 * service.
 */
export function toCleanEnvironment(env: ChildEnvironment): ChildEnvironment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}

const stopWithinMs = 10_000;
const keptLines = 8;

export interface ChildOptions {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env: ChildEnvironment;
  /** Called when it ends without having been stopped: why, and its last words. */
  readonly onLost: (error: Error) => void;
}

/**
 * Starts a Node process that ends with this one. In a process group of its own, so that Ctrl-C in a terminal
 * reaches the demo alone, which then stops its processes in order.
 */
export function startChild(options: ChildOptions) {
  const child = spawn(process.execPath, ["--import", preload, options.script, ...options.args], {
    detached: true,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let isStopping = false;
  const lastWords: string[] = [];
  const remember = (line: string): void => {
    lastWords.push(line);
    if (lastWords.length > keptLines) lastWords.shift();
  };
  const output = createInterface({ input: readable(child.stdout) });
  createInterface({ input: readable(child.stderr) }).on("line", remember);
  const gone = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      options.onLost(new Error(`${options.name} could not be started: ${error.message}`));
      resolve();
    });
    // Not "exit": the last words may still be in the pipe then.
    child.once("close", (code, signal) => {
      if (!isStopping) {
        const words = lastWords.map((line) => `\n  ${line}`).join("");
        options.onLost(new Error(`${options.name} ended with ${signal ?? code}${words}`));
      }
      resolve();
    });
  });
  return {
    pid: child.pid ?? -1,
    onLine: (listener: (line: string) => void) => void output.on("line", listener),
    /** Resolves to the first line on stdout; rejects when it ends before. */
    firstLine: () =>
      new Promise<string>((resolve, reject) => {
        output.once("line", resolve);
        void gone.then(() => reject(new Error(`${options.name} ended before it was ready`)));
      }),
    /** SIGTERM, then SIGKILL after 10 s. Resolves when it is gone; safe to call twice. */
    async stop(): Promise<void> {
      isStopping = true;
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
      await gone;
      clearTimeout(timer);
    },
  };
}

function readable(stream: NodeJS.ReadableStream | null): NodeJS.ReadableStream {
  if (stream === null) throw new Error("the process was started without a pipe");
  return stream;
}
