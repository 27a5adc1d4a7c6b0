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
    ["runc", await isOnPath("runc")],
    ["memory cgroups that one may make", mayLimitMemory()],
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

async function isOnPath(name: string): Promise<boolean> {
  try {
    await exec("/bin/sh", ["-c", `command -v ${name}`]);
    return true;
  } catch {
    return false;
  }
}

function mayLimitMemory(): boolean {
  const group = createMemoryGroup(`redriver-image-${process.pid}`, 1 << 30);
  group?.remove();
  return group !== null;
}

/** True where the kernel can also keep a container from swapping. */
export const limitsSwap =
  existsSync("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes") ||
  existsSync("/sys/fs/cgroup/cgroup.controllers");
