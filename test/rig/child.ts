import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { Guard } from "./guard.ts";

export interface ChildOptions {
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it says is kept here. */
  readonly logFile: string;
  readonly guard: Guard;
}

export interface Child {
  readonly process: ChildProcess;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** A Node process with a channel to this one, killed with it. It knows PATH and `env`, and nobody's service. */
export function startChild({ script, args = [], env = {}, logFile, guard }: ChildOptions): Child {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
  });
  const log = createWriteStream(logFile, { flags: "a" });
  child.stdout!.pipe(log, { end: false });
  child.stderr!.pipe(log, { end: false });
  const { pid } = child;
  if (pid !== undefined) guard.add(pid);
  const gone = (async () => {
    await once(child, "close");
    if (pid !== undefined) guard.remove(pid);
    log.end();
  })();
  return {
    process: child,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}
