import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "./job/contracts/clock.ts";
import type { Identities, PassId, Token } from "./job/contracts/ids.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  // CLOCK_MONOTONIC goes on while a process is stopped by a signal.
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    // All sleeps until one stop share its signal. Each removes its listener, so their number is no leak.
    if (signal !== undefined) setMaxListeners(0, signal);
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  },
  random: () => Math.random(),
};

/** This process among the replicas; in a container the host name is the pod's. */
export function replicaName(): string {
  return `${hostname()}-${process.pid}`;
}

/** True if it was a process of this host that is no more, such as after a `kill -9`. */
export function isGoneHere(replica: string): boolean {
  const pid = replica.startsWith(`${hostname()}-`)
    ? Number(replica.slice(hostname().length + 1))
    : Number.NaN;
  if (!Number.isSafeInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

export const randomIdentities: Identities = {
  token: () => randomUUID() as Token,
  passId: () => randomUUID() as PassId,
};
