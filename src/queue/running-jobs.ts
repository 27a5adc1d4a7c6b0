/** The handlers that run in this process: what a shutdown aborts and waits for, whatever BullMQ and Redis do. */
export interface RunningJobs {
  /** Runs `work` with a signal of its own, which also aborts when `outer` does. */
  run<T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** True once `abortAll` was called. */
  stopping(): boolean;
  /** Aborts every running handler, and every one that starts later. */
  abortAll(reason: unknown): void;
  /** Resolves when no handler runs. */
  settled(): Promise<void>;
}

export function createRunningJobs(): RunningJobs {
  const running = new Map<AbortController, Promise<unknown>>();
  let stopped: { readonly reason: unknown } | null = null;

  return {
    async run(outer, work) {
      const controller = new AbortController();
      if (stopped !== null) controller.abort(stopped.reason);
      const forward = (): void => controller.abort(outer?.reason);
      if (outer?.aborted === true) forward();
      outer?.addEventListener("abort", forward, { once: true });
      const result = work(controller.signal);
      running.set(
        controller,
        result.catch(() => undefined),
      );
      try {
        return await result;
      } finally {
        outer?.removeEventListener("abort", forward);
        running.delete(controller);
      }
    },
    stopping: () => stopped !== null,
    abortAll(reason) {
      stopped ??= { reason };
      for (const controller of running.keys()) controller.abort(reason);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
