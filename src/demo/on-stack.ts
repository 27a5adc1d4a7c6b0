import { setTimeout as sleep } from "node:timers/promises";
import type { DemoIo } from "./demo-io.ts";
import { startStack, type Stack, type Stage } from "./stack.ts";

/** One story on its way. */
export interface Run {
  readonly stack: Stack;
  /** Unix ms. */
  readonly startedAt: number;
  readonly say: (line: string) => void;
  /** Aborts when the demo is to end. */
  readonly signal: AbortSignal;
}

export interface OnStackOptions {
  readonly io: DemoIo;
  readonly stage: Stage;
  /** Why it failed, in one line. */
  readonly toReason: (error: unknown) => string;
}

const lostIsKnownWithinMs = 1_000;

/**
 * Starts everything, plays one story on it, and ends with nothing left behind. Resolves to what the story resolves to: an exit
 * code; 1 when it rejects or a process is lost, 3 when stopped by a signal before it had ended.
 */
export async function onStack(options: OnStackOptions, play: (run: Run) => Promise<number>): Promise<number> {
  const { io, stage, toReason } = options;
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
      io,
      say,
      signal: stop.signal,
      onStop: (name, undo) => teardown.push({ name, stop: undo }),
      onLost: (error) => {
        lost ??= error;
        stop.abort(error);
      },
    });
    return await play({ stack, startedAt, say, signal: stop.signal });
  } catch (error) {
    if (lost === null && error instanceof StoppedEarly) return 3;
    // A connection breaks before the end of the process behind it is known, and that end says more.
    await sleep(lostIsKnownWithinMs, undefined, { signal: stop.signal }).catch(() => undefined);
    io.err(`redriver: the demo failed: ${toReason(lost ?? error)}\n`);
    for (const line of stack?.daemon.complaints ?? []) io.err(`  daemon: ${line}\n`);
    return 1;
  } finally {
    for (const { name, stop: undo } of teardown.toReversed()) {
      await undo().catch((error: unknown) => say(`${name}: ${String(error)}`));
    }
    forget();
  }
}

/** Says where everything is, and leaves it running until SIGINT or SIGTERM. Rejects when one of its processes ends. */
export async function keepRunning({ stack, signal }: Run, io: DemoIo): Promise<void> {
  const { daemon, emulator, receiver } = stack;
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
  await untilAborted(signal);
  if (!(signal.reason instanceof StoppedEarly)) throw signal.reason;
}

class StoppedEarly extends Error {}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
