import { totalmem } from "node:os";
import { setFlagsFromString } from "node:v8";

const mib = 1_048_576;
/** From this limit on, a quarter of the daemon's CPU is worth 100 MB more (docs/internals/benchmarks.md). */
const roomyBytes = 512 * mib;

/** Bytes that this process may use: the container's limit, or the machine's memory if there is none. */
export function readMemoryLimit(): number {
  // A number beyond all memory if there is no limit, and 0 if it is not known.
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}

/** What a daemon is given beside the budget of its pages (docs/internals/memory.md). */
export function toDaemonBytes(limitBytes: number): number {
  return (limitBytes < roomyBytes ? 150 : 260) * mib;
}

/**
 * Keeps V8's heap close to its live objects. A command that pages through a backlog works on some 30 MB. By
 * default V8 collects the old generation only at several times its live size, so peak memory would follow the
 * size of a backlog. So the old generation may grow by 30 %. In a daemon with room, the young one grows to all
 * that `NODE_OPTIONS` allow at once, so that pages die young instead of being copied. All others keep it at 1 MB.
 *
 * By default V8 begins to mark when the old generation has grown by a third of what it may, because the young one
 * could fill the rest. Ours hardly does, so marking begins at four fifths, and less growth is enough.
 *
 * Takes effect for later allocations, so it comes before the program is loaded. Flags on the command line would
 * need a second process.
 */
export function keepHeapSteady(isDaemon: boolean): void {
  setFlagsFromString("--heap-growing-percent=30");
  if (isDaemon && readMemoryLimit() >= roomyBytes) {
    setFlagsFromString("--incremental-marking-soft-trigger=80");
    setFlagsFromString("--incremental-marking-hard-trigger=95");
    setFlagsFromString("--semi-space-growth-factor=32");
    return;
  }
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Functions take over less code of those that they call. By default V8's optimising compiler used a sixth of the
 * CPU of 100,000 messages: most of our code runs once for each page, and took 900 compilations. With less in
 * each, it used a tenth, and the code is as fast (docs/internals/benchmarks.md).
 *
 * WebAssembly is not optimised at all. Ours is undici's parser of HTTP heads, three for a hundred messages. To
 * optimise it took 0.15 s of CPU, just as a drain began.
 */
export function compileLess(): void {
  setFlagsFromString("--max-inlined-bytecode-size=60");
  setFlagsFromString("--max-inlined-bytecode-size-cumulative=100");
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
}
