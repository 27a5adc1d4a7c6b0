import { connectTo } from "../../rig/child-calls.ts";
import { startChild } from "../../rig/child.ts";
import type { Guard } from "../../rig/guard.ts";
import type { ServiceFigures, ServiceOptions } from "../service/service-types.ts";

/** The service of the bench in a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  /** When its first record entered the queue, Unix ms. */
  readonly oldestAt: number;
  /** These processes' CPU is read with each moment. */
  watch(pids: readonly number[]): Promise<void>;
  /** Resolves with the first call. */
  untilBegun(): Promise<void>;
  untilEmpty(): Promise<void>;
  receiverIsUp(): Promise<void>;
  figures(): Promise<ServiceFigures>;
  close(): Promise<void>;
}

export async function startService(
  options: ServiceOptions,
  { guard, logFile }: { readonly guard: Guard; readonly logFile: string },
): Promise<ServiceProcess> {
  const main = new URL("../service/main.js", import.meta.url).pathname;
  const child = startChild({ args: [main, JSON.stringify(options)], logFile, guard });
  const { ready, call } = await connectTo(child.process, "the service");
  return {
    ...(ready as { readonly url: string; readonly oldestAt: number }),
    watch: async (pids) => void (await call("watch", pids)),
    untilBegun: async () => void (await call("untilBegun")),
    untilEmpty: async () => void (await call("untilEmpty")),
    receiverIsUp: async () => void (await call("receiverIsUp")),
    figures: async () => (await call("figures")) as ServiceFigures,
    close: () => child.kill(),
  };
}
