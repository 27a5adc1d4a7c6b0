/** Containers by an OCI runtime alone: no engine stands between the configuration and the kernel. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startChild, type Child, type OnLine } from "../rig/child.ts";
import type { Guard } from "../rig/guard.ts";
import type { toRuntimeConfig } from "./runtime-config.ts";

export interface Container extends Child {
  /** SIGTERM to its first process, as the kubelet has it sent. */
  terminate(): void;
}

export interface ContainerOptions {
  /** An existing folder for all that is written. */
  readonly dir: string;
  /** Also the container's id. */
  readonly name: string;
  readonly config: ReturnType<typeof toRuntimeConfig>;
  readonly guard: Guard;
  readonly onLine?: OnLine;
}

const readEveryMs = 100;

export function startContainer(options: ContainerOptions): Container {
  const { dir, name, config, guard } = options;
  const bundle = join(dir, name);
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, "config.json"), JSON.stringify(config, null, 2));
  const pidFile = join(bundle, "pid");
  const id = `redriver-image-${process.pid}-${name}`;
  const root = ["--root", join(dir, "runtime")];
  const child = startChild({
    command: "runc",
    args: [...root, "run", "--bundle", bundle, "--pid-file", pidFile, id],
    logFile: join(dir, `${name}.log`),
    guard,
    ...(options.onLine === undefined ? {} : { onLine: options.onLine }),
  });
  /** Of its first process; null before it has one. */
  let pid: number | null = null;
  const look = (): void => {
    if (pid !== null) return;
    pid = readPid(pidFile);
    if (pid !== null) guard.add(pid);
  };
  const looking = setInterval(look, readEveryMs);
  void (async () => {
    await child.ended;
    clearInterval(looking);
    if (pid !== null) guard.remove(pid);
  })();
  return {
    ...child,
    terminate() {
      look();
      if (pid !== null && child.isRunning()) process.kill(pid, "SIGTERM");
    },
    async kill() {
      // The runtime would leave the container behind if it were killed itself.
      if (child.isRunning()) {
        await promisify(execFile)("runc", [...root, "delete", "--force", id]).catch(() => undefined);
        child.process.kill("SIGKILL");
      }
      await child.ended;
    },
  };
}

export interface Run {
  /** As a shell has it: 128 and the signal's number if one ended it. */
  readonly exitCode: number;
  readonly out: string;
}

/** Until it ends. */
export async function runContainer(options: Omit<ContainerOptions, "onLine">): Promise<Run> {
  const lines: string[] = [];
  const container = startContainer({
    ...options,
    onLine: (line, from) => {
      if (from === "stdout") lines.push(line);
    },
  });
  const end = await container.ended;
  return { exitCode: typeof end === "number" ? end : 255, out: lines.join("\n") };
}

function readPid(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}
