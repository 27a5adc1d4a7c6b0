import { parseMetrics, type ScrapedMetrics } from "../../dev/demo/scraped-metrics.ts";
import { startChild, type Child, type ChildOptions } from "./child.ts";

/** `redriver run`, started and ended as often as one likes. */
export type DaemonProcess = ReturnType<typeof createDaemonProcess>;

export interface DaemonOptions extends Omit<ChildOptions, "args"> {
  /** Path of the built program. */
  readonly program: string;
  /** It ended although nobody made it, or otherwise than it was made to. */
  readonly onCrash: (how: string) => void;
  readonly onEnd: () => void;
}

/** shutdown.hard of every rig is 6 s; a busy machine comes late. */
const terminateWithinMs = 15_000;

export function createDaemonProcess({ program, onLine, ...options }: DaemonOptions) {
  let child: Child | null = null;
  let expected: "nothing" | "SIGKILL" | "SIGTERM" = "nothing";
  let address: string | null = null;
  let consoleAddress: string | null = null;
  let gone: Promise<void> = Promise.resolve();

  async function untilGone(started: Child): Promise<void> {
    const end = await started.ended;
    if (child === started) child = null;
    address = null;
    consoleAddress = null;
    const how = typeof end === "number" ? `exit code ${end}` : end;
    const isRight = expected === "SIGKILL" ? end === "SIGKILL" : expected === "SIGTERM" && end === 0;
    if (!isRight) {
      options.onCrash(expected === "nothing" ? `ended by itself: ${how}` : `${expected}: ended with ${how}`);
    }
    options.onEnd();
  }
  return {
    start(): void {
      if (child !== null) return;
      expected = "nothing";
      child = startChild({
        ...options,
        args: [program, "run"],
        onLine: (line, from) => {
          if (line.includes('"daemon:started"')) {
            address = /"httpAddress":"([^"]+)"/.exec(line)?.[1] ?? null;
            consoleAddress = /"consoleAddress":"([^"]+)"/.exec(line)?.[1] ?? null;
          }
          onLine?.(line, from);
        },
      });
      gone = untilGone(child);
    },
    /** Resolves when it is gone. */
    async kill(): Promise<void> {
      if (child === null) return;
      expected = "SIGKILL";
      child.process.kill("SIGKILL");
      await gone;
    },
    /** SIGTERM; SIGKILL, and false, if it is not gone after its own deadline and some more. */
    async terminate(): Promise<boolean> {
      if (child === null) return true;
      const ending = child.process;
      expected = "SIGTERM";
      ending.kill("SIGTERM");
      let inTime = true;
      const timer = setTimeout(() => {
        inTime = false;
        expected = "SIGKILL";
        ending.kill("SIGKILL");
      }, terminateWithinMs);
      await gone;
      clearTimeout(timer);
      return inTime;
    },
    freeze: (): void => void child?.process.kill("SIGSTOP"),
    thaw: (): void => void child?.process.kill("SIGCONT"),
    /** `host:port` of its ops pages; null until it says so. */
    address: () => address,
    /** `host:port` of its console; null until it says so, and without one. */
    consoleAddress: () => consoleAddress,
    /** Null while it does not run. */
    pid: () => child?.process.pid ?? null,
    /** Rejects when it does not answer. */
    async metrics(): Promise<ScrapedMetrics> {
      const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(10_000) });
      return parseMetrics(await response.text());
    },
  };
}
