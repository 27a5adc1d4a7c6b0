import { receiverScript, startChild, type ChildOptions } from "./children.ts";
import type { Receiver } from "./receiver.ts";
import { connectTo } from "./child-process-calls.ts";

export type ReceiverProcess = Awaited<ReturnType<typeof startReceiverProcess>>;

/** The receiver in a process of its own. */
export async function startReceiverProcess(
  options: Pick<ChildOptions, "env" | "onLost"> & { readonly headerPrefix: string },
) {
  const name = "the receiver";
  const child = startChild({ ...options, name, script: receiverScript, args: [options.headerPrefix] });
  try {
    const ready = await connectTo<Receiver, Pick<Receiver, "steadyUrl" | "flakyUrl">>(child.process, name);
    return { ...ready, pid: child.pid, stop: () => child.stop() };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
