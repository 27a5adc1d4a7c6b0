import { type Core, type Decorate, openCore, type OpenParts, requireRedis } from "../../job/door.ts";
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
    const decorate = { source: sayWhatIsWaitedFor(io, teardown) };
    const core = await openCore({ settings, document, env: io.env, events, teardown, decorate, ...options });
    return await work(core, teardown);
  } finally {
    await teardown.run(closeWithinMs);
  }
}

const silentMs = 2_000;

/** Once for each time that a source has answered no listing for 2 s, tries included. */
function sayWhatIsWaitedFor(io: Io, teardown: Teardown): NonNullable<Decorate["source"]> {
  return (built) => {
    const { service, config } = built;
    const say = (): void => io.err(`waiting for the service of source ${config.name} to answer\n`);
    let timer: NodeJS.Timeout | undefined;
    const over = (): void => {
      clearTimeout(timer);
      timer = undefined;
    };
    teardown.add(`wait for ${config.name}`, over);
    const list: typeof service.list = async (...asked) => {
      timer ??= setTimeout(say, silentMs);
      const listed = await service.list(...asked);
      over();
      return listed;
    };
    return { ...built, service: { ...service, list } };
  };
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
