import { type Core, requireRedis } from "../../job/door.ts";
import type { CommandContext } from "./command-context.ts";
import { currentUser } from "./input/current-user.ts";
import { createStop, type Stop } from "./input/stop-on-signals.ts";
import type { Loaded } from "./load-config.ts";
import { withCore } from "./with-core.ts";

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
