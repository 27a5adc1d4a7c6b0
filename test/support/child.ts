import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";

export interface ChildEnded {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Any program as a child process of one test, killed with it; it knows PATH, its folder as HOME, and `env`.
 */
export function runChild(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<ChildEnded> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    if (child.exitCode === null) child.kill("SIGKILL");
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, out, err }));
  });
}
