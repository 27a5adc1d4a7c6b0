import { join } from "node:path";
import { startChild } from "../rig/child.ts";
import type { AtWork } from "../support/at-work.ts";
import type { Guard } from "../rig/guard.ts";
import type { Fault } from "./kill.ts";
import type { Stand } from "./stand.ts";

export interface DaemonDeath {
  readonly end: number | NodeJS.Signals;
  /** From when it heard that it is to stop until it had ended, ms; null: it never heard. */
  readonly stoppingMs: number | null;
}

/** The daemon with failpoints (main.ts). */
export type FaultyDaemon = ReturnType<typeof startFaultyDaemon>;

/** What it sends over its channel. */
export type FromDaemon =
  | { readonly kind: "started" }
  | { readonly kind: "stopping" }
  | { readonly kind: "at-work"; readonly most: AtWork }
  /** The next answer at this place is to be withheld. */
  | { readonly kind: "withhold"; readonly place: string };

let names = 0;
const withheld = "withheld";

export function startFaultyDaemon(stand: Stand, fault: Fault | null, guard: Guard) {
  const name = `daemon-${(names += 1)}`;
  const child = startChild({
    args: [join(import.meta.dirname, "main.js")],
    env: {
      ...stand.env,
      FAULT_RECORD: join(stand.folder, `${name}.points`),
      ...(fault === null
        ? {}
        : { FAULT_POINT: fault.target, FAULT_KIND: fault.kind, FAULT_CRASH: fault.crash }),
    },
    logFile: join(stand.folder, `${name}.log`),
    guard,
  });
  let stoppingAt: number | null = null;
  let atWork: AtWork = { windows: 0, pages: 0 };
  const { process: daemon } = child;
  const untilDeath = async (): Promise<DaemonDeath> => {
    const end = await child.ended;
    // What it was waiting for, the next one need not wait for.
    for (const { faults } of Object.values(stand.emulators)) faults.remove(withheld);
    return { end, stoppingMs: stoppingAt === null ? null : performance.now() - stoppingAt };
  };
  const started = new Promise<number>((resolve) => {
    daemon.on("message", (raw) => {
      const message = raw as FromDaemon;
      if (message.kind === "started") resolve(Date.now());
      else if (message.kind === "stopping") stoppingAt = performance.now();
      else if (message.kind === "at-work") atWork = message.most;
      else {
        withhold(stand, message.place, () => daemon.kill(fault?.kind === "kill" ? "SIGKILL" : "SIGTERM"));
        daemon.send("withheld");
      }
    });
  });
  // A message to a process that has just died is lost, which is what its death means.
  daemon.on("error", () => undefined);
  return {
    /** Unix ms at which it had started; never resolves when it dies before. */
    started,
    died: untilDeath(),
    /** Whether it has heard that it is to stop. */
    isStopping: (): boolean => stoppingAt !== null,
    /** What it had at work at once, at most. */
    atWork: (): AtWork => atWork,
    /** Every passing of a failpoint so far, in order. */
    passed: (): readonly string[] =>
      stand
        .read(`${name}.points`)
        .split("\n")
        .filter((line) => line !== ""),
    kill: child.kill,
  };
}

/**
 * The next call of that operation takes effect and is not answered; then `end`, once: the other source may be
 * called as well.
 */
function withhold({ emulators }: Stand, place: string, end: () => void): void {
  const operation = place.startsWith("service.publish") ? "batch" : "delete";
  let hasEnded = false;
  const endOnce = (): void => {
    if (!hasEnded) end();
    hasEnded = true;
  };
  for (const { faults, journal } of Object.values(emulators)) {
    faults.add({ kind: "stall-answer", name: withheld, operation, when: "after", count: 1 });
    void journal.waitFor((entry) => entry.type === "fault" && entry.name === withheld).then(endOnce);
  }
}
