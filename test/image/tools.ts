import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { createMemoryGroup } from "../memory/cgroup.ts";

const exec = promisify(execFile);

/** What is missing on this machine, as a person would install it. */
export async function findMissing(makesBases: boolean): Promise<readonly string[]> {
  const wanted: readonly (readonly [name: string, isHere: boolean])[] = [
    ["root that may mount", process.getuid?.() === 0 && mayMount()],
    ["buildah", await isOnPath("buildah")],
    ["runc, or a crun that works with these cgroups", (await findRuntime()) !== null],
    ["redis-server", await isOnPath("redis-server")],
    ...(makesBases
      ? ([
          ["debootstrap, or --node-image", await isOnPath("debootstrap")],
          ["Linux on x64, or --node-image", process.platform === "linux" && process.arch === "x64"],
        ] as const)
      : []),
  ];
  return wanted.flatMap(([name, isHere]) => (isHere ? [] : [name]));
}

/** CAP_SYS_ADMIN, which root has none of in most containers. */
function mayMount(): boolean {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return ((BigInt(`0x${effective}`) >> 21n) & 1n) === 1n;
}

/**
 * The command of an OCI runtime that works with this machine's cgroups; null without one. crun refuses version
 * 1 beside version 2, and runc refuses to do without.
 */
export async function findRuntime(): Promise<readonly string[] | null> {
  const isHybrid = existsSync("/sys/fs/cgroup/unified");
  if (findCgroups() === null) {
    return (await isOnPath("crun")) && !isHybrid ? ["crun", "--cgroup-manager=disabled"] : null;
  }
  if (await isOnPath("runc")) return ["runc"];
  return (await isOnPath("crun")) && !isHybrid ? ["crun"] : null;
}

async function isOnPath(name: string): Promise<boolean> {
  try {
    await exec("/bin/sh", ["-c", `command -v ${name}`]);
    return true;
  } catch {
    return false;
  }
}

/** Null: this machine lets nobody make a memory cgroup. */
export function findCgroups(): { readonly limitsSwap: boolean } | null {
  const group = createMemoryGroup(`redriver-image-${process.pid}`, 1 << 30);
  if (group === null) return null;
  group.remove();
  return {
    limitsSwap:
      existsSync("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes") ||
      existsSync("/sys/fs/cgroup/cgroup.controllers"),
  };
}
