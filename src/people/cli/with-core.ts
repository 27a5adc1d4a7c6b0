import { type Core, openCore, type OpenParts } from "../../job/door.ts";
import { createTeardown, type Teardown } from "../../teardown.ts";
import type { Events } from "../../job/contracts/events.ts";
import type { Io } from "./io.ts";
import type { Loaded } from "./load-config.ts";

/** For commands that only read: nothing happens in them that somebody would want to watch. */
const silent: Events = { emit: () => undefined };

interface CoreOptions extends Partial<Pick<OpenParts, "by" | "events" | "onSecret" | "readsIndexes">> {
  readonly closeWithinMs?: number;
}

/**
 * Builds the document's drains and sources for one command, and closes them when `work` ends. Redis may be
 * away: a command that needs it calls `requireRedis`.
 */
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
