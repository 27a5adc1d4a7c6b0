import { spawn } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import type { Guard } from "../rig/guard.ts";
import type { MemoryGroup } from "./cgroup.ts";

export interface LimitedProcess {
  /** The most that was ever resident, in bytes, by what was last read of it. */
  peakBytes(): number;
  isRunning(): boolean;
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  terminate(): void;
  kill(): void;
}

export interface LimitedOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly guard: Guard;
  readonly group: MemoryGroup | null;
}

const readEveryMs = 50;
/** The shell is in the group before it becomes the program, so every page of the program is charged to the group. */
const enter = 'echo $$ > "$1" && shift && exec "$@"';

export function startLimited({ args, env, logFile, guard, group }: LimitedOptions): LimitedProcess {
  const program = [process.execPath, ...args];
  const [command = "", ...rest] =
    group === null ? program : ["/bin/sh", "-c", enter, "enter", group.procsFile, ...program];
  const child = spawn(command, rest, {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(logFile, { flags: "a" });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const { pid } = child;
  if (pid !== undefined) guard.add(pid);
  let peak = 0;
  let isRunning = true;
  const reading = setInterval(() => {
    peak = Math.max(peak, readPeak(pid));
  }, readEveryMs);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => {
      isRunning = false;
      clearInterval(reading);
      if (pid !== undefined) guard.remove(pid);
      log.end();
      resolve(signal ?? code ?? 1);
    });
  });
  return {
    peakBytes: () => peak,
    isRunning: () => isRunning,
    ended,
    terminate: () => void child.kill("SIGTERM"),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** VmHWM of /proc: the kernel keeps the peak, so it does not matter when it is read. */
function readPeak(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return 1_024 * Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
