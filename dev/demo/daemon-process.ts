import { readFileSync } from "node:fs";
import { mainScript, startChild, type ChildOptions } from "./children.ts";
import { parseMetrics, type ScrapedMetrics } from "./scraped-metrics.ts";

interface LoggedPass {
  readonly outcome: string;
  /** Unix ms. */
  readonly openedAt: number;
  readonly counts: Readonly<Record<string, number>>;
}

export interface LoggedMove {
  /** Unix ms. */
  readonly at: number;
  readonly origin: string;
  readonly to: string;
  /** Of the next step, in messages; 0 if there is none. */
  readonly size: number;
  /** The whole line as a person reads it. */
  readonly text: string;
}

const keptComplaints = 8;

interface LogLine {
  readonly level?: string;
  readonly event?: string;
  readonly time?: string;
  readonly httpAddress?: string;
  readonly consoleAddress?: string | null;
  readonly outcome?: string;
  readonly durationMs?: number;
  readonly msg?: string;
  readonly origin?: string;
  readonly to?: string;
  readonly size?: number;
  readonly counts?: Readonly<Record<string, number>>;
}

/** `redriver run` with this settings file and nothing else. */
export async function startDaemonProcess(
  options: Pick<ChildOptions, "env" | "onLost"> & {
    readonly settingsFile: string;
    readonly signal: AbortSignal;
  },
) {
  const { settingsFile, signal } = options;
  const passes: LoggedPass[] = [];
  const moves: LoggedMove[] = [];
  const complaints: string[] = [];
  const child = startChild({
    env: options.env,
    onLost: options.onLost,
    name: "the daemon",
    script: mainScript,
    args: ["--config", settingsFile, "run"],
  });
  let consoleUrl: string | null = null;
  const started = new Promise<string>((resolve, reject) => {
    child.onLine((text) => {
      const line = parseLine(text);
      if (line === null) return;
      if (line.level === "warn" || line.level === "error" || line.level === "fatal") {
        complaints.push(text);
        if (complaints.length > keptComplaints) complaints.shift();
      }
      if (line.event === "daemon:started") {
        if (line.consoleAddress) consoleUrl = `http://${line.consoleAddress}`;
        resolve(line.httpAddress ?? "");
      }
      const { durationMs = 0, outcome = "", counts = {} } = line;
      const time = Date.parse(line.time ?? "");
      if (line.event === "pass:closed") passes.push({ outcome, openedAt: time - durationMs, counts });
      const { origin = "", to = "", size = 0, msg = "" } = line;
      if (line.event === "lane:moved") moves.push({ at: time, origin, to, size, text: msg });
    });
    // The reason: somebody has stopped the demo, or another process was lost.
    signal.addEventListener("abort", () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
  try {
    const address = await started;
    const baseUrl = address.startsWith("http") ? address : `http://${address}`;
    return {
      pid: child.pid,
      metricsUrl: `${baseUrl}/metrics`,
      consoleUrl: () => consoleUrl,
      passes,
      moves,
      complaints,
      async isReady(): Promise<boolean> {
        const response = await fetch(`${baseUrl}/readyz`, { signal });
        await response.text();
        return response.ok;
      },
      async metrics(): Promise<ScrapedMetrics> {
        const response = await fetch(`${baseUrl}/metrics`, { signal });
        return parseMetrics(await response.text());
      },
      /** The most memory it ever had, in bytes; null if the system does not say. */
      peakMemoryBytes: () => readPeakMemory(child.pid),
      stop: () => child.stop(),
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

function parseLine(text: string): LogLine | null {
  // Most lines are about single records; parsing each would cost more than the daemon's own work.
  if (text.includes('"event":"record:')) return null;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return null;
  }
}

/**
 * VmHWM of /proc, in bytes: the kernel keeps the peak, so it does not matter when it is read. Null without
 * /proc.
 */
export function readPeakMemory(pid: number | undefined): number | null {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
  } catch {
    return null;
  }
}
