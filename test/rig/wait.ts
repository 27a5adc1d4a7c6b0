import { setTimeout as delay } from "node:timers/promises";

/** Asks again until it holds. Rejects after `withinMs`, naming what it waited for. */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`);
    await delay(50);
  }
}
