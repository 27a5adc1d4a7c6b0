import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

/** How busy this machine is, with whatever it does besides. */
export type Machine = ReturnType<typeof createMachine>;

const tickMs = 100;
/** A case that has just begun shows in the load only after this. */
const settleMs = 1_200;
const leastIdle = 0.2;
const alwaysRunning = 3;

export function createMachine() {
  let late = 0;
  let expectedAt = performance.now() + tickMs;
  const ticks = setInterval(() => {
    late += Math.max(0, performance.now() - expectedAt);
    expectedAt = performance.now() + tickMs;
  }, tickMs);
  let turn: Promise<unknown> = Promise.resolve();
  return {
    /** Milliseconds by which this process has been kept waiting for its turn, since it began to look. */
    latenessMs: () => late,
    /** Resolves when there is room for one more case, one caller after the other; at once for the first few. */
    room: (running: () => number): Promise<void> => {
      const mine = turn.then(() => whenRoom(running));
      turn = mine;
      return mine;
    },
    close: () => clearInterval(ticks),
  };
}

async function whenRoom(running: () => number): Promise<void> {
  for (;;) {
    const before = readCpus();
    await delay(settleMs);
    if (running() < alwaysRunning || idleSince(before) >= leastIdle) return;
  }
}

interface CpuTimes {
  readonly idle: number;
  readonly all: number;
}

function readCpus(): CpuTimes {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.idle + times.user + times.sys + times.nice + times.irq;
  }
  return { idle, all };
}

function idleSince(before: CpuTimes): number {
  const now = readCpus();
  return (now.idle - before.idle) / Math.max(1, now.all - before.all);
}

/** Resolves when half of the machine was idle for a moment, or after `maxMs`: others may use it for hours. */
export async function untilIdle(maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  do {
    const before = readCpus();
    await delay(600);
    if (idleSince(before) >= 0.5) return;
  } while (performance.now() < deadline);
}
