/** Programs that are not ours: found on the PATH, and ended with this process. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

const stopTimeoutMs = 5_000;

export interface Program {
  readonly command: string;
  /** Beside a PATH of the system's folders. */
  readonly env: Readonly<Record<string, string>>;
}

/** The path of the first of these that is there; null: none is. */
export async function findOnPath(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const script = names.map((name) => `command -v ${name}`).join(" || ");
  const asked = promisify(execFile)("/bin/sh", ["-c", script], { env: { PATH: env["PATH"] ?? "" } });
  const path = (await asked.catch(() => ({ stdout: "" }))).stdout.trim();
  return path === "" ? null : path;
}

/**
 * A shell stands between: it kills the program when our end of its stdin closes, which happens also when this
 * process is killed. In a process group of its own, so that Ctrl-C in a terminal ends us first and the program
 * after.
 */
export function spawnProgram({ command, env }: Program, args: readonly string[]): ChildProcess {
  const script =
    '"$0" "$@" </dev/null & server=$!; trap "kill $server" TERM; cat >/dev/null; kill $server; wait $server';
  const child = spawn("/bin/sh", ["-c", script, command, ...args], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin", ...env },
  });
  child.unref();
  // The pipe breaks when the shell ends first; its exit says so already.
  child.stdin?.on("error", () => undefined);
  return child;
}

/** Resolves when it is gone; safe to call twice. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, "exit");
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, stopTimeoutMs);
  child.ref();
  child.stdin?.end();
  await ended;
  clearTimeout(timer);
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
