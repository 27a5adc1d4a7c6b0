import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, createWriteStream, openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Guard } from "./guard.ts";

export type OnLine = (line: string, from: "stdout" | "stderr") => void;

export interface ChildOptions {
  /** Default: Node. */
  readonly command?: string;
  /** As the command takes them. Node's are a script and its own arguments. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** All its output is kept here. */
  readonly logFile: string;
  readonly guard: Guard;
  readonly onLine?: OnLine;
  /** Its output goes straight into the file, so that what it says costs nobody else. */
  readonly isUnheard?: true;
  /** A file to which the process writes its pid before it becomes Node, as it joins a cgroup. */
  readonly procsFile?: string | undefined;
}

export interface Child {
  readonly process: ChildProcess;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  isRunning(): boolean;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/**
 * The shell is in the group before it becomes the program, so every page of the program is charged to the
 * group.
 */
const joinGroup = ["/bin/sh", "-c", 'echo $$ > "$1" && shift && exec "$@"', "join-group"];

/** A process with a channel to this one, killed with it. It knows PATH and `env`, and nobody's service. */
export function startChild(options: ChildOptions): Child {
  const {
    command = process.execPath,
    args,
    env = {},
    logFile,
    guard,
    onLine,
    procsFile,
    isUnheard,
  } = options;
  const all = [...(procsFile === undefined ? [] : [...joinGroup, procsFile]), command, ...args];
  const file = openSync(logFile, "a");
  const out = isUnheard === true ? file : "pipe";
  const child = spawn(all[0]!, all.slice(1), {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["pipe", out, out, "ipc"],
  });
  const log = isUnheard === true ? null : createWriteStream(logFile, { fd: file });
  if (log === null) closeSync(file);
  for (const from of ["stdout", "stderr"] as const) {
    if (child[from] === null) continue;
    createInterface({ input: child[from] }).on("line", (line) => {
      log?.write(`${line}\n`);
      onLine?.(line, from);
    });
  }
  const { pid } = child;
  if (pid !== undefined) guard.add(pid);
  let isRunning = true;
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => {
      isRunning = false;
      if (pid !== undefined) guard.remove(pid);
      log?.end();
      resolve(signal ?? code ?? 1);
    });
  });
  return {
    process: child,
    ended,
    isRunning: () => isRunning,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
