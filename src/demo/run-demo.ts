import { randomBytes } from "node:crypto";
import { DeadlinePassed } from "./deadline.ts";
import type { DemoIo } from "./demo-io.ts";
import { keepRunning, onStack, type Run } from "./on-stack.ts";
import { retryScale, toDrainsDocument } from "./plan-messages.ts";
import { tellStory, toDeadlineMs } from "./story.ts";
import { toSummary, toSummaryText } from "./summary.ts";

export interface DemoOptions {
  readonly messages: number;
  /** Leave everything running at the end, until SIGINT or SIGTERM. */
  readonly keep: boolean;
  /** Print the summary as one line of JSON. */
  readonly json?: boolean;
  readonly io: DemoIo;
}

const mostMessages = 200_000;

/**
 * The main job on an embedded stack, with nothing faked: see story.ts. Exit code 0 when every message that the rules wanted
 * redriven was delivered exactly once and the DLQ holds exactly what they held back; 1 when not, 2 for a wrong number of
 * messages, 3 when stopped early. Ends with nothing left behind.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { messages, io } = options;
  if (!Number.isInteger(messages) || messages < 1 || messages > mostMessages) {
    io.err(`redriver: --messages: expected a whole number from 1 to ${mostMessages}\n`);
    return 2;
  }
  const stage = { retryScale, drains: toDrainsDocument() };
  const toReason = (error: unknown): string => {
    if (error instanceof DeadlinePassed) {
      return `not all messages had failed for good within ${toDeadlineMs(messages) / 1_000} s`;
    }
    return error instanceof Error ? error.message : String(error);
  };
  return onStack({ io, stage, toReason }, (run) => play(run, options));
}

async function play(run: Run, { messages, keep, json, io }: DemoOptions): Promise<number> {
  const { daemon } = run.stack;
  const runId = randomBytes(4).toString("hex");
  const ending = await tellStory(run.stack, { messages, runId, say: run.say, signal: run.signal });
  const summary = toSummary({
    ...ending,
    metrics: await daemon.metrics(),
    durationMs: Date.now() - run.startedAt,
    daemonPeakBytes: daemon.peakMemoryBytes(),
    metricsUrl: daemon.metricsUrl,
  });
  io.out(json === true ? `${JSON.stringify(summary)}\n` : toSummaryText(summary));
  const isAsExpected = ending.settled && summary.differences.length === 0;
  if (!ending.settled) io.err(`redriver: no rest within ${toDeadlineMs(messages) / 1_000} s\n`);
  if (!isAsExpected) for (const line of daemon.complaints) io.err(`  daemon: ${line}\n`);
  if (keep) await keepRunning(run, io);
  return isAsExpected ? 0 : 1;
}
