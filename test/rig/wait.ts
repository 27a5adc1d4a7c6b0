import { setTimeout as delay } from "node:timers/promises";

type Check = () => boolean | Promise<boolean>;

/** Asks again until it is so. Rejects after `withinMs`, naming what it waited for. */
export async function waitUntil(what: string, isSo: Check, withinMs: number): Promise<void> {
  if (!(await isSoon(isSo, withinMs, 50))) throw new Error(`waited ${withinMs} ms for ${what}`);
}

/** Asks again until it is so; false if it was not within `withinMs`. */
export async function isSoon(isSo: Check, withinMs: number, everyMs = 200): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await delay(everyMs);
  }
  return true;
}

/** Resolves at a time, Unix ms. */
export async function until(at: number): Promise<void> {
  await delay(Math.max(0, at - Date.now()));
}
