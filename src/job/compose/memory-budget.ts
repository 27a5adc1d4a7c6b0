import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Settings } from "../../config/settings/settings.ts";
import { createByteBudget, type ByteBudget } from "../listing/byte-budget.ts";
import { readMemoryLimit, toDaemonBytes } from "../../steady-memory.ts";

export type ProcessMemory = ReturnType<typeof createProcessMemory>;

const mib = 1_048_576;
/** Resident memory of a command without a page, measured (docs/internals/memory.md). */
const commandBytes = 120 * mib;
const idleHeapBytes = 60 * mib;
/** More makes nothing faster (docs/internals/memory.md), and leaves room for a message larger than the whole budget. */
const maxBytes = 128 * mib;
/** A smaller budget only means that records go one by one. */
const minBytes = 16 * mib;
/** A command gets a quarter of the daemon's budget, in the same container. */
const commandsPart = 4;
/** Of so many windows; a smaller share means more pages. Further windows wait if pages are large. */
const windowsWithShare = 4;
/** Pages of the sweep, of the census and of listing checks, beside those of windows. */
const sharesBesideWindows = 2;
/** Of sources whose listings hang. More of them make pages of some ten records of 10 KB. */
const maxShares = 16;
/** A command works on one page, and may search for a record beside it. */
const sharesOfCommand = 2;

/** By its bytes: a daemon answers some commands at once, and their large records come one after the other. */
const ofCommands = new Map<number, ByteBudget>();

export function createProcessMemory(settings: Settings, sources: number, role: "daemon" | "command") {
  const { budget: asked } = settings.memory;
  const ofDaemon =
    asked === "auto" ? toBudget(readMemoryLimit(), getHeapStatistics().heap_size_limit) : asked;
  if (role === "command") {
    const bytes = Math.floor(ofDaemon / commandsPart);
    const budget = ofCommands.get(bytes) ?? createByteBudget(bytes);
    ofCommands.set(bytes, budget);
    return { budget, shares: sharesOfCommand, collectGarbage };
  }
  const windows = Math.min(settings.windows.concurrency, windowsWithShare);
  return {
    collectGarbage,
    budget: createByteBudget(ofDaemon),
    shares: Math.max(
      windows + sharesBesideWindows,
      Math.min(maxShares, windows - 1 + sources + sharesBesideWindows),
    ),
  };
}

/** 85 % of the limit, minus the resident memory, with room for a command's quarter. */
export function toBudget(limitBytes: number, heapBytes: number): number {
  const idleBytes = toDaemonBytes(limitBytes) + commandBytes;
  const ofLimit = (0.85 * limitBytes - idleBytes) / (1 + 1 / commandsPart);
  const ofHeap = heapBytes - idleHeapBytes;
  return Math.floor(Math.max(minBytes, Math.min(maxBytes, ofLimit, ofHeap)));
}

export function toMemoryUse({ used, total }: ByteBudget) {
  return { pageBytes: used(), pageLimitBytes: total, limitBytes: readMemoryLimit() };
}

let collect: (() => void) | null = null;

/** Takes some 30 ms. V8 alone would wait: the remains of a large page would be beside the next. */
function collectGarbage(): void {
  if (collect === null) {
    // The flag only adds the function to contexts that are made from now on.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
