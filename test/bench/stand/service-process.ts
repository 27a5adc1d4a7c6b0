import { connectTo } from "../../rig/child-calls.ts";
import { startChild } from "../../rig/child.ts";
import type { Guard } from "../../rig/guard.ts";
import type { ServiceFigures, ServiceOptions } from "../service/service-types.ts";

/** The service of the bench in a process of its own. */
export type ServiceProcess = Awaited<ReturnType<typeof startService>>;

export async function startService(
  options: ServiceOptions,
  { guard, logFile }: { readonly guard: Guard; readonly logFile: string },
) {
  const main = new URL("../service/main.js", import.meta.url).pathname;
  const child = startChild({ args: [main, JSON.stringify(options)], logFile, guard });
  const { ready, call } = await connectTo(child.process, "the service");
  return {
    /** `oldestAt`: when its first record entered the queue, Unix ms. */
    ...(ready as { readonly url: string; readonly oldestAt: number }),
    /** These processes' CPU is read with each moment. */
    watch: async (pids: readonly number[]) => void (await call("watch", pids)),
    /** Resolves with the first call. */
    untilBegun: async () => void (await call("untilBegun")),
    untilEmpty: async () => void (await call("untilEmpty")),
    figures: async () => (await call("figures")) as ServiceFigures,
    close: () => child.kill(),
  };
}
