import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { DemoIo } from "./demo-io.ts";
import { DeadlinePassed } from "./deadline.ts";
import { startStack, type Stack } from "./stack.ts";
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
const lostIsKnownWithinMs = 1_000;

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
      io,
      say,
      signal: stop.signal,
      onStop: (name, undo) => teardown.push({ name, stop: undo }),
      onLost: (error) => {
        lost ??= error;
        stop.abort(error);
      },
    });
    return await runOn(stack, options, { startedAt, say, signal: stop.signal });
  } catch (error) {
    if (lost === null && error instanceof StoppedEarly) return 3;
    // A connection breaks before the end of the process behind it is known, and that end says more.
    await sleep(lostIsKnownWithinMs, undefined, { signal: stop.signal }).catch(() => undefined);
    io.err(`redriver: the demo failed: ${toReason(lost ?? error, messages)}\n`);
    for (const line of stack?.daemon.complaints ?? []) io.err(`  daemon: ${line}\n`);
    return 1;
  } finally {
    for (const { name, stop: undo } of teardown.toReversed()) {
      await undo().catch((error: unknown) => say(`${name}: ${String(error)}`));
    }
    forget();
  }
}

interface Run {
  readonly startedAt: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

async function runOn(stack: Stack, { messages, keep, json, io }: DemoOptions, run: Run): Promise<number> {
  const { daemon, emulator, receiver } = stack;
  const runId = randomBytes(4).toString("hex");
  const ending = await tellStory(stack, { messages, runId, say: run.say, signal: run.signal });
  const summary = toSummary({
    ...ending,
    metrics: await daemon.metrics(),
    durationMs: Date.now() - run.startedAt,
    daemonPeakBytes: await daemon.peakMemoryBytes(),
    metricsUrl: daemon.metricsUrl,
  });
  io.out(json === true ? `${JSON.stringify(summary)}\n` : toSummaryText(summary));
  const isAsExpected = ending.settled && summary.differences.length === 0;
  if (!ending.settled) io.err(`redriver: no rest within ${toDeadlineMs(messages) / 1_000} s\n`);
  if (!isAsExpected) for (const line of daemon.complaints) io.err(`  daemon: ${line}\n`);
  if (keep) {
    io.err(
      [
        "",
        "Everything keeps running until Ctrl-C:",
        `  metrics      ${daemon.metricsUrl}`,
        `  message API  ${emulator.url}  (token ${emulator.token})`,
        `  control API  ${emulator.controlUrl}/_control/state`,
        `  receiver     ${receiver.flakyUrl} and ${receiver.steadyUrl}`,
        `  Redis        ${new URL(stack.redisUrl).host}`,
        `  documents    ${stack.dir}`,
        "",
      ].join("\n"),
    );
    await untilAborted(run.signal);
    if (!(run.signal.reason instanceof StoppedEarly)) throw run.signal.reason;
  }
  return isAsExpected ? 0 : 1;
}

class StoppedEarly extends Error {}

function toReason(error: unknown, messages: number): string {
  if (error instanceof DeadlinePassed) {
    return `not all messages had failed for good within ${toDeadlineMs(messages) / 1_000} s`;
  }
  return error instanceof Error ? error.message : String(error);
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
