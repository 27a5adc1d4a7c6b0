import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

const main = path.resolve(import.meta.dirname, "../../dist/main.js");

export interface DemoEnded {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Where it was started, and had to put temporary files. */
  readonly tmpDir: string;
}

/**
 * Starts `redriver demo` as a child process, with nothing of this one's environment but the PATH. What it
 * leaves on disk goes after all tests.
 */
export function useDemos() {
  const dir = mkdtempSync(path.join(os.tmpdir(), "redriver-test-demo-"));
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    startDemo(args, env, mkdtempSync(path.join(dir, "run-")));
}

function startDemo(args: readonly string[], env: Readonly<Record<string, string>>, tmpDir: string) {
  const child = spawn(process.execPath, [main, "demo", ...args], {
    cwd: tmpDir,
    env: { PATH: process.env["PATH"], TMPDIR: tmpDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => (stdout += String(data)));
  child.stderr.on("data", (data) => (stderr += String(data)));
  const finished = once(child, "close").then(([code]): DemoEnded => ({
    code: code as number | null,
    stdout,
    stderr,
    tmpDir,
  }));
  return {
    process: child,
    finished,
    stderr: () => stderr,
    /** Resolves when this was said; rejects when the demo ends before. */
    said: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (stderr.includes(text)) resolve();
        };
        child.stderr.on("data", look);
        look();
        void finished.then(() => reject(new Error(`ended without saying "${text}": ${stderr}`)));
      }),
  };
}

/** `label   value  (remark)` lines as an object. */
export function toRows(text: string): Readonly<Record<string, string>> {
  const rows = [...text.matchAll(/^(\S.*?) {2,}(\S+)/gm)];
  return Object.fromEntries(rows.map(([, label = "", value = ""]) => [label, value]));
}

/** Of emulator and daemon, in this order. */
export function toPids(stderr: string): number[] {
  return [...stderr.matchAll(/\bprocess (\d+)/g)].map(([, pid]) => Number(pid));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
