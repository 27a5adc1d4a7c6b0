import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import type { Fault } from "./kill.ts";
import { openLog, type Stand } from "./stand.ts";

/** Compiled by `tsc -p test/fault/tsconfig.json`; a process of its own cannot be TypeScript on Node 20. */
export const compiledDir = resolve(import.meta.dirname, rootOf(import.meta.dirname), ".cache/fault");
const mainFile = join(compiledDir, "test/fault/main.js");

/** This file runs both as it is, under vitest, and compiled. */
function rootOf(dirname: string): string {
  return dirname.includes(join(".cache", "fault")) ? "../../../.." : "../..";
}

export interface DaemonDeath {
  readonly signal: NodeJS.Signals | null;
  readonly exitCode: number | null;
  /** From when it heard that it is to stop until it had ended, ms; null: it never heard. */
  readonly stoppingMs: number | null;
}

export interface DaemonProcess {
  /** Unix ms at which it had started; never resolves when it dies before. */
  readonly started: Promise<number>;
  readonly died: Promise<DaemonDeath>;
  /** Whether it has heard that it is to stop. */
  isStopping(): boolean;
  /** Every passing of a failpoint so far, in order. */
  passed(): readonly string[];
  kill(): Promise<DaemonDeath>;
}

let names = 0;
const withheld = "withheld";

export function startDaemonProcess(stand: Stand, fault: Fault | null): DaemonProcess {
  const name = `daemon-${(names += 1)}`;
  const log = openLog(stand.folder, `${name}.log`);
  const child = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      ...stand.env,
      FAULT_RECORD: join(stand.folder, `${name}.points`),
      ...(fault === null
        ? {}
        : { FAULT_POINT: fault.target, FAULT_KIND: fault.kind, FAULT_CRASH: fault.crash }),
    },
    stdio: ["ignore", log.fd, log.fd, "ipc"],
  });
  log.close();
  let stoppingAt: number | null = null;
  const died = new Promise<DaemonDeath>((resolveDeath) => {
    child.once("exit", (exitCode, signal) => {
      // What it was waiting for, the next one need not wait for.
      for (const { faults } of Object.values(stand.emulators)) faults.remove(withheld);
      const stoppingMs = stoppingAt === null ? null : performance.now() - stoppingAt;
      resolveDeath({ exitCode, signal, stoppingMs });
    });
  });
  const started = new Promise<number>((resolveStart) => {
    child.on("message", (message) => {
      if (isStart(message)) resolveStart(Date.now());
      else if (isStop(message)) stoppingAt = performance.now();
      else if (isWithholding(message)) {
        const signal = fault?.kind === "kill" ? "SIGKILL" : "SIGTERM";
        withhold(stand, message.withhold, () => child.kill(signal));
        child.send("withheld");
      }
    });
  });
  // A message to a process that has just died is lost, which is what its death means.
  child.on("error", () => undefined);
  return {
    started,
    died,
    isStopping: () => stoppingAt !== null,
    passed: () =>
      stand
        .read(`${name}.points`)
        .split("\n")
        .filter((line) => line !== ""),
    kill: () => {
      child.kill("SIGKILL");
      return died;
    },
  };
}

/** The next call of that operation takes effect and is not answered; then `end`, once: the other source may be called as well. */
function withhold({ emulators }: Stand, place: string, end: () => void): void {
  const operation = place.startsWith("service.publish") ? "batch" : "delete";
  let hasEnded = false;
  const endOnce = (): void => {
    if (!hasEnded) end();
    hasEnded = true;
  };
  for (const { faults, journal } of Object.values(emulators)) {
    faults.add({ kind: "stall-answer", name: withheld, operation, when: "after", count: 1 });
    void journal.waitFor((entry) => entry.type === "fault" && entry.name === withheld).then(endOnce);
  }
}

function isStart(message: unknown): boolean {
  return typeof message === "object" && message !== null && "started" in message;
}

function isStop(message: unknown): boolean {
  return typeof message === "object" && message !== null && "stopping" in message;
}

function isWithholding(message: unknown): message is { readonly withhold: string } {
  return typeof message === "object" && message !== null && "withhold" in message;
}
