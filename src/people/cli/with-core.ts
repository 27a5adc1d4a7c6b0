import { type Core, openCore, type OpenParts, requireRedis } from "../../job/door.ts";
import { createTeardown, type Teardown } from "../../teardown.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { Io, CommandContext } from "./io.ts";
import type { Loaded } from "./load-config.ts";
import { currentUser } from "./input/option-values.ts";

/** For commands that only read: nothing happens in them that somebody would want to watch. */
const silent: Events = { emit: () => undefined };

type CoreOptions = Partial<Pick<OpenParts, "by" | "events" | "onSecret" | "readsIndexes">> & {
  readonly closeWithinMs?: number;
};

/** For one command, closed when `work` ends. Redis may be away: a command that needs it calls `requireRedis`. */
export async function withCore<Result>(
  io: Io,
  { settings, document }: Pick<Loaded, "settings" | "document">,
  { closeWithinMs = 2_000, events = silent, ...options }: CoreOptions,
  work: (core: Core, teardown: Teardown) => Promise<Result>,
): Promise<Result> {
  const teardown = createTeardown();
  try {
    const core = await openCore({ settings, document, env: io.env, events, teardown, ...options });
    return await work(core, teardown);
  } finally {
    await teardown.run(closeWithinMs);
  }
}

/** For commands that need Redis and that a signal may end early. */
export function withRedisAndStop(
  loaded: Loaded,
  { io }: CommandContext,
  work: (core: Core, stop: Stop) => Promise<void>,
): Promise<void> {
  return withCore(io, loaded, { by: currentUser() }, async (core, teardown) => {
    const stop = createStop(io, teardown);
    await requireRedis(core);
    await work(core, stop);
  });
}

/** Ctrl-C once: finish the page and stop. Twice: end calls too. The ledger has what is in doubt then. */
export function createStop(io: Io, teardown: Teardown) {
  const stopping = new AbortController();
  const now = new AbortController();
  const forget = io.onSignal(() => {
    if (stopping.signal.aborted) return now.abort();
    io.err("stopping after this page; once more to stop now\n");
    stopping.abort();
  });
  teardown.add("signals", forget);
  return { stopping: stopping.signal, signal: now.signal };
}

export type Stop = ReturnType<typeof createStop>;
