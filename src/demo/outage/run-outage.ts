import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { DeadlinePassed } from "../deadline.ts";
import type { DemoIo } from "../demo-io.ts";
import { keepRunning, onStack, type Run } from "../on-stack.ts";
import { toRecording, toRecordingText } from "./recording.ts";
import { toStage } from "./stage.ts";
import { deadlineMs, tellOutage } from "./story.ts";
import { toOutageSummary, toOutageText } from "./summary.ts";

export interface OutageDemoOptions {
  /** To the host that is down; a fifth more goes to the other one. */
  readonly messages: number;
  /** Probes that come back before the receiver has recovered. */
  readonly probes: number;
  /** False: the same outage for a drain without lanes, which is judged alike. */
  readonly hasLane: boolean;
  /** Where the recording goes; null for nowhere. */
  readonly recordFile: string | null;
  /** Leave everything running at the end, until SIGINT or SIGTERM. */
  readonly keep: boolean;
  /** Print the summary as one line of JSON. */
  readonly json: boolean;
  readonly io: DemoIo;
}

const fewestMessages = 20;
const mostMessages = 5_000;
const mostProbes = 6;

/**
 * One outage of one of two hosts: see story.ts. Exit code 0 when every message was delivered exactly once and the lane kept what it promises;
 * 1 when not, 2 for numbers out of bounds, 3 when stopped early. Ends with nothing left behind.
 */
export async function runOutage(options: OutageDemoOptions): Promise<number> {
  const { messages, probes, io } = options;
  for (const [flag, value, least, most] of [
    ["--messages", messages, fewestMessages, mostMessages],
    ["--probes", probes, 1, mostProbes],
  ] as const) {
    if (Number.isInteger(value) && value >= least && value <= most) continue;
    io.err(`redriver: ${flag}: expected a whole number from ${least} to ${most} with --outage\n`);
    return 2;
  }
  return onStack({ io, stage: toStage(options), toReason }, (run) => play(run, options));
}

function toReason(error: unknown): string {
  if (error instanceof DeadlinePassed) return `the outage had no end within ${deadlineMs / 1_000} s`;
  return error instanceof Error ? error.message : String(error);
}

async function play(
  run: Run,
  { messages, probes, recordFile, keep, json, io }: OutageDemoOptions,
): Promise<number> {
  const { daemon } = run.stack;
  const ending = await tellOutage(run, { messages, probes, runId: randomBytes(4).toString("hex") });
  const summary = toOutageSummary(ending, {
    durationMs: Date.now() - run.startedAt,
    daemonPeakBytes: daemon.peakMemoryBytes(),
    metricsUrl: daemon.metricsUrl,
  });
  if (recordFile !== null) await writeFile(recordFile, toRecordingText(toRecording(ending)));
  io.out(json ? `${JSON.stringify(summary)}\n` : toOutageText(summary));
  if (!ending.settled) io.err(`redriver: no rest within ${deadlineMs / 1_000} s\n`);
  if (keep) await keepRunning(run, io);
  return ending.settled && summary.differences.length === 0 ? 0 : 1;
}
