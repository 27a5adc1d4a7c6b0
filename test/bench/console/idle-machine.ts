import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

const lookMs = 600;
const leastIdle = 0.5;

/** Resolves when half of the machine was idle for a moment, or after `maxMs`: others may use it for hours. */
export async function untilIdle(maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  do {
    const before = readCpus();
    await delay(lookMs);
    const after = readCpus();
    if ((after.idle - before.idle) / Math.max(1, after.all - before.all) >= leastIdle) return;
  } while (performance.now() < deadline);
}

function readCpus(): { readonly idle: number; readonly all: number } {
  let [idle, all] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.idle + times.user + times.sys + times.nice + times.irq;
  }
  return { idle, all };
}
