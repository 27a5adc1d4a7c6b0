import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A memory limit that the kernel enforces on every process in it, as on a container. */
export interface MemoryGroup {
  /** A process that writes its pid here is in it. */
  readonly procsFile: string;
  /**
   * Bytes of all its processes that the kernel cannot take back: their own pages, and the files that they
   * have mapped.
   */
  usedBytes(): number;
  remove(): void;
}

const v1Root = "/sys/fs/cgroup/memory";
const v2Root = "/sys/fs/cgroup";

/** Null where this machine lets nobody make one, as in most containers. */
export function createMemoryGroup(name: string, limitBytes: number): MemoryGroup | null {
  try {
    if (existsSync(join(v1Root, "memory.limit_in_bytes"))) return createV1(join(v1Root, name), limitBytes);
    if (existsSync(join(v2Root, "cgroup.controllers"))) return createV2(join(v2Root, name), limitBytes);
    return null;
  } catch {
    return null;
  }
}

function createV1(dir: string, limitBytes: number): MemoryGroup {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "memory.limit_in_bytes"), String(limitBytes));
  // Without it, what does not fit would be swapped where the machine has swap.
  const withSwap = join(dir, "memory.memsw.limit_in_bytes");
  if (existsSync(withSwap)) writeFileSync(withSwap, String(limitBytes));
  return {
    procsFile: join(dir, "cgroup.procs"),
    usedBytes: () => readStat(dir, ["rss", "mapped_file"]),
    remove: () => rmdirSync(dir),
  };
}

function createV2(dir: string, limitBytes: number): MemoryGroup {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "memory.max"), String(limitBytes));
  const swap = join(dir, "memory.swap.max");
  if (existsSync(swap)) writeFileSync(swap, "0");
  return {
    procsFile: join(dir, "cgroup.procs"),
    usedBytes: () => readStat(dir, ["anon", "file_mapped", "sock", "kernel_stack"]),
    remove: () => rmdirSync(dir),
  };
}

function readStat(dir: string, names: readonly string[]): number {
  const lines = readFileSync(join(dir, "memory.stat"), "utf8").split("\n");
  const values = new Map(lines.map((line) => line.split(" ") as [string, string]));
  return names.reduce((sum, name) => sum + Number(values.get(name) ?? 0), 0);
}
