import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readPeakMemory } from "../../../dev/demo/daemon-process.ts";
import type { Guard } from "../../rig/guard.ts";
import { readCpuMs } from "./process-usage.ts";

export interface BenchProcess {
  readonly pid: number;
  /** Its exit code or signal. */
  readonly ended: Promise<string>;
  /** The most that was ever resident, in bytes, by what was last read of it. */
  peakBytes(): number;
  cpuMs(): number;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
}

export interface BenchProcessOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly guard: Guard;
}

const readEveryMs = 50;

/** A Node process that writes into a file, so that what it says costs nobody else. */
export function startBenchProcess({ args, env = {}, logFile, guard }: BenchProcessOptions): BenchProcess {
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const pid = child.pid!;
  guard.add(pid);
  let peak = 0;
  const reading = setInterval(() => {
    peak = Math.max(peak, readPeakMemory(pid) ?? 0);
  }, readEveryMs);
  const ended = new Promise<string>((resolve) => {
    child.once("close", (code, signal) => {
      clearInterval(reading);
      guard.remove(pid);
      resolve(signal ?? String(code));
    });
  });
  return {
    pid,
    ended,
    peakBytes: () => peak,
    cpuMs: () => readCpuMs(pid),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
