import { join } from "node:path";
import { connectTo } from "./child-calls.ts";
import { startChild, type ChildOptions } from "./child.ts";
import type { Arrival, Behaviour } from "./receiver-messages.ts";

/** The witness: a receiver in a process of its own. */
export type ReceiverProcess = Awaited<ReturnType<typeof startReceiverProcess>>;

export async function startReceiverProcess(options: Pick<ChildOptions, "logFile" | "guard">) {
  const child = startChild({ ...options, args: [join(import.meta.dirname, "receiver-main.js")] });
  const { ready, call } = await connectTo(child.process, "the receiver");
  const known: Arrival[] = [];
  let behaviour: Behaviour = { manner: "up", delayMs: 0 };
  let reading: Promise<void> = Promise.resolve();
  const read = async (before: Promise<void>): Promise<void> => {
    // One after the other, so that nothing is read twice.
    await before;
    // One by one: a call takes about 100,000 arguments.
    for (const arrival of (await call("log", known.length)) as readonly Arrival[]) known.push(arrival);
  };
  return {
    ...(ready as { readonly url: string }),
    /** Resolves when it is so. */
    async behave(changes: Partial<Behaviour>): Promise<void> {
      behaviour = { ...behaviour, ...changes };
      await call("behave", behaviour);
    },
    /** All that came, oldest first. */
    async arrivals(): Promise<readonly Arrival[]> {
      reading = read(reading);
      await reading;
      return [...known];
    },
    close: () => child.kill(),
  };
}
