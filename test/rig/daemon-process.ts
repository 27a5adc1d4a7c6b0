import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Guard } from "./guard.ts";

export interface DaemonProcess {
  start(): void;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; SIGKILL, and false, where it is not gone after its own deadline and some more. */
  terminate(): Promise<boolean>;
  freeze(): void;
  thaw(): void;
  isRunning(): boolean;
  /** `host:port` of its ops pages; null until it says so. */
  address(): string | null;
}

export interface DaemonOptions {
  /** Path of the built program. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** All its output is kept here. */
  readonly logFile: string;
  readonly guard: Guard;
  readonly onLine: (line: string, from: "stdout" | "stderr") => void;
  /** It ended although nobody made it, or otherwise than it was made to. */
  readonly onCrash: (how: string) => void;
  readonly onEnd: () => void;
}

/** shutdown.hard is 6 s; a busy machine comes late. */
const terminateWithinMs = 15_000;

export function createDaemonProcess(options: DaemonOptions): DaemonProcess {
  const file = createWriteStream(options.logFile, { flags: "a" });
  let child: ChildProcess | null = null;
  let expected: "nothing" | "SIGKILL" | "SIGTERM" = "nothing";
  let address: string | null = null;
  let gone: Promise<void> = Promise.resolve();

  const hear = (line: string, from: "stdout" | "stderr"): void => {
    file.write(`${line}\n`);
    if (line.includes('"daemon:started"')) {
      address = /"httpAddress":"([^"]+)"/.exec(line)?.[1] ?? null;
    }
    options.onLine(line, from);
  };
  const daemon: DaemonProcess = {
    start() {
      if (child !== null) return;
      expected = "nothing";
      const started = spawn(process.execPath, [options.program, "run"], {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...options.env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      const { pid } = started;
      if (pid !== undefined) options.guard.add(pid);
      createInterface({ input: started.stdout }).on("line", (line) => hear(line, "stdout"));
      createInterface({ input: started.stderr }).on("line", (line) => hear(line, "stderr"));
      gone = new Promise((resolve) => {
        started.once("error", (error) => options.onCrash(`could not be started: ${error.message}`));
        started.once("close", (code, signal) => {
          if (pid !== undefined) options.guard.remove(pid);
          if (child === started) child = null;
          address = null;
          const ended = signal ?? `exit code ${code}`;
          const isRight =
            expected === "SIGKILL" ? signal === "SIGKILL" : expected === "SIGTERM" && code === 0;
          if (!isRight) {
            options.onCrash(
              expected === "nothing" ? `ended by itself: ${ended}` : `${expected}: ended with ${ended}`,
            );
          }
          options.onEnd();
          resolve();
        });
      });
    },
    async kill() {
      if (child === null) return;
      expected = "SIGKILL";
      child.kill("SIGKILL");
      await gone;
    },
    async terminate() {
      if (child === null) return true;
      const ending = child;
      expected = "SIGTERM";
      ending.kill("SIGTERM");
      let inTime = true;
      const timer = setTimeout(() => {
        inTime = false;
        expected = "SIGKILL";
        ending.kill("SIGKILL");
      }, terminateWithinMs);
      await gone;
      clearTimeout(timer);
      return inTime;
    },
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    isRunning: () => child !== null,
    address: () => address,
  };
  return daemon;
}
