import type { Events } from "../ports/events.ts";

/** For commands that only read: nothing happens in them that somebody would want to watch. */
export const silent: Events = { emit: () => undefined };
