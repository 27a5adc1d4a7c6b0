import type { Ledger } from "../../src/job/contracts/ledger.ts";
import { runPassInProcess, type PassInProcess } from "../../src/job/pass/drain-in-process.ts";
import { openPass } from "../../src/job/pass/open-pass.ts";
import type { WindowWork } from "../../src/job/pass/work-window.ts";
import type { SourceRuntime } from "../../src/job/runtime.ts";
import { createRedisLedger } from "../../src/job/store/ledger/redis-ledger.ts";
import { onMovedClock } from "./ledger-stands.ts";
import { withLedger, never, type Rig } from "./rig.ts";

/** The first window of a pass that is opened over the drain `main`, to be worked. */
export async function openWindow({ drain, core }: Rig, more: Partial<WindowWork> = {}): Promise<WindowWork> {
  const opened = await openPass(drain, core.settings.passes, never);
  const [window] = opened.windows;
  if (opened.kind !== "opened" || window === undefined) throw new Error("expected an open pass");
  const { passId } = opened.pass;
  const { windowId } = window;
  return { passId, windowId, signal: never, stopping: never, lastTry: false, ...more };
}

/** A pass over the drain `main` of a worker with other parts than the rig's. */
export function passWith(
  { drain, core }: Rig,
  parts: Partial<SourceRuntime>,
  settings: { readonly alwaysFull?: boolean } = {},
): Promise<PassInProcess> {
  return runPassInProcess(
    { ...drain, source: { ...drain.source, ...parts } },
    { ...core.settings.passes, ...settings },
    { signal: never, stopping: never },
    () => undefined,
  );
}

/** Full passes over a ledger whose time is moved instead of waited for. */
export function withMovableLedger(rig: Rig): {
  readonly ledger: Ledger;
  /** The rig's source with this ledger. */
  readonly source: SourceRuntime;
  wait(ms: number): void;
  pass(): Promise<PassInProcess>;
} {
  let ahead = 0;
  const { config, ledger: real } = rig.drain.source;
  const redis = onMovedClock(rig.core.redis, { now: () => Date.now() + ahead }, () => ahead);
  const ledger = createRedisLedger(redis, config.id, real.limits, { epochSeed: () => "moved" });
  const source = withLedger(rig.drain.source, ledger);
  return {
    ledger,
    source,
    wait: (ms) => {
      ahead += ms;
    },
    pass: () => passWith(rig, source, { alwaysFull: true }),
  };
}
