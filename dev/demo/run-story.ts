import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { DevIo } from "../commands/lent.ts";
import { startStack, type Stack, type Stage } from "./stack.ts";
import { DeadlinePassed } from "./waits.ts";

export interface StoryOptions {
  readonly io: DevIo;
  readonly messages: number;
  /** Leave everything running at the end, until SIGINT or SIGTERM. */
  readonly keep: boolean;
  /** Writes the summary as JSON; null: it is written as text. */
  readonly toJson: ((summary: object) => string) | null;
  readonly withPrometheus: boolean;
}

export interface StoryRun {
  readonly stack: Stack;
  readonly say: (line: string) => void;
  /** Aborts when the demo is to end. */
  readonly signal: AbortSignal;
}

export interface StoryEnd {
  /** Whether everything was settled before the deadline; judged all the same. */
  readonly settled: boolean;
  readonly summary: { readonly differences: readonly string[] };
  readonly rows: readonly SummaryRow[];
  /** Printed below them if nothing differs. */
  readonly promise: string;
}

type SummaryRow = readonly [label: string, value: string | number, remark?: string];

interface StoryFrame extends StoryOptions {
  readonly stage: Stage;
  readonly deadlineMs: number;
  /** What had not happened when the deadline has passed before the end. */
  readonly lateText: string;
  /** What is shown while it keeps running; absent: where everything is. */
  readonly toPlaces?: (stack: Stack) => readonly string[];
}

const lossIsKnownWithinMs = 1_000;

/**
 * Starts everything, plays one story on it, and ends with nothing left behind. Resolves to an exit code. 0:
 * everything was as it had to be. 1: it was not, the story rejected, or a process was lost. 3: a signal
 * stopped it before its end.
 */
export async function runStory(
  frame: StoryFrame,
  play: (run: StoryRun) => Promise<StoryEnd>,
): Promise<number> {
  const { io, stage } = frame;
  const startedAt = Date.now();
  const say = (line: string): void => {
    io.err(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  const stop = new AbortController();
  let lost: Error | null = null;
  const forget = io.onSignal(() => {
    if (!stop.signal.aborted) say("stopping");
    stop.abort(new StoppedEarly("stopped by a signal"));
  });
  const teardown: { readonly name: string; readonly stop: () => Promise<void> }[] = [];
  let stack: Stack | undefined;
  try {
    stack = await startStack({
      ...stage,
      withPrometheus: frame.withPrometheus,
      env: io.env,
      say,
      signal: stop.signal,
      onStop: (name, undo) => teardown.push({ name, stop: undo }),
      onLost: (error) => {
        lost ??= error;
        stop.abort(error);
      },
    });
    const { daemon } = stack;
    if (frame.keep) say(`the console is at ${daemon.consoleUrl() ?? "no address: it is off"}`);
    const end = await play({ stack, say, signal: stop.signal });
    const { settled, summary } = end;
    const figures = {
      durationMs: Date.now() - startedAt,
      daemonPeakBytes: daemon.peakMemoryBytes(),
      metricsUrl: daemon.metricsUrl,
    };
    io.out(frame.toJson === null ? toReport(end, figures) : frame.toJson({ ...summary, ...figures }));
    if (!settled) io.err(`redriver: not settled within ${frame.deadlineMs / 1_000} s\n`);
    const isAsExpected = settled && summary.differences.length === 0;
    if (!isAsExpected) showComplaints(stack, io);
    if (frame.keep) {
      io.err(["", ...(frame.toPlaces ?? toPlaces)(stack), ""].join("\n"));
      await untilStopped(stop.signal);
    }
    return isAsExpected ? 0 : 1;
  } catch (error) {
    if (lost === null && error instanceof StoppedEarly) return 3;
    // A connection breaks before the end of the process behind it is known, and that end says more.
    await sleep(lossIsKnownWithinMs, undefined, { signal: stop.signal }).catch(() => undefined);
    io.err(`redriver: the demo failed: ${toReason(lost ?? error, frame)}\n`);
    if (stack !== undefined) showComplaints(stack, io);
    return 1;
  } finally {
    for (const { name, stop: undo } of teardown.toReversed()) {
      await undo().catch((error: unknown) => say(`${name}: ${String(error)}`));
    }
    forget();
  }
}

const labelWidth = 24;

/** Rows, then how it ended: what was promised, or what is not as it had to be. */
function toReport(
  { rows, promise, summary: { differences } }: StoryEnd,
  run: { readonly durationMs: number; readonly daemonPeakBytes: number | null; readonly metricsUrl: string },
): string {
  const peak = run.daemonPeakBytes;
  const all: readonly SummaryRow[] = [
    ...rows,
    ["duration", toSeconds(run.durationMs)],
    ...(peak === null ? [] : [["daemon's peak memory", `${Math.round(peak / 1_048_576)} MiB`] as const]),
    ["metrics", run.metricsUrl],
  ];
  const lines = all.map(([label, value, remark]) => {
    return `${label.padEnd(labelWidth)}${value}${remark === undefined ? "" : `  (${remark})`}\n`;
  });
  const ending =
    differences.length === 0
      ? promise
      : ["Not as it had to be:", ...differences.map((line) => `  ${line}`)].join("\n");
  return `${lines.join("")}\n${ending}\n`;
}

export const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function toReason(error: unknown, { deadlineMs, lateText }: StoryFrame): string {
  if (error instanceof DeadlinePassed) return `${lateText} within ${deadlineMs / 1_000} s`;
  return error instanceof Error ? error.message : String(error);
}

function showComplaints({ daemon }: Stack, io: DevIo): void {
  for (const line of daemon.complaints) io.err(`  daemon: ${line}\n`);
}

/** Where everything is. */
function toPlaces({ daemon, emulator, receiver, prometheusUrl, redisUrl, dir }: Stack): readonly string[] {
  return [
    "Everything keeps running until Ctrl-C:",
    `  console      ${daemon.consoleUrl() ?? "off"}`,
    `  metrics      ${daemon.metricsUrl}`,
    ...(prometheusUrl === null
      ? []
      : [`  Prometheus   ${prometheusUrl}/alerts, or /api/v1/alerts of one without pages`]),
    `  message API  ${emulator.url}  (token ${emulator.token})`,
    `  control API  ${emulator.controlUrl}/_control/state`,
    `  receiver     ${receiver.flakyUrl} and ${receiver.steadyUrl}`,
    `  Redis        ${new URL(redisUrl).host}`,
    `  documents    ${dir}`,
  ];
}

/** Until SIGINT or SIGTERM. Rejects when one of its processes ends. */
async function untilStopped(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
  if (!(signal.reason instanceof StoppedEarly)) throw signal.reason;
}

class StoppedEarly extends Error {}
