import { join } from "node:path";
import { startChild, type ChildOptions } from "./child.ts";
import type {
  Arrival,
  Asked,
  Behaviour,
  FromReceiver,
  ReceiverLog,
  ToReceiver,
} from "./receiver-messages.ts";

/** A receiver in a process of its own. */
export interface ReceiverProcess {
  readonly url: string;
  /** Resolves when it is so. */
  behave(behaviour: Partial<Behaviour>): Promise<void>;
  /** All that came, oldest first. */
  arrivals(): Promise<readonly Arrival[]>;
  close(): Promise<void>;
}

export async function startReceiverProcess(
  options: Pick<ChildOptions, "logFile" | "guard">,
): Promise<ReceiverProcess> {
  const child = startChild({ ...options, script: join(import.meta.dirname, "receiver-main.js") });
  const waiting = new Map<number, (log: ReceiverLog) => void>();
  const known: Arrival[] = [];
  let seq = 0;
  let behaviour: Behaviour = { standing: "up", perSecond: null };
  const url = await new Promise<string>((resolve, reject) => {
    child.process.on("message", (raw) => {
      const message = raw as FromReceiver;
      if (message.kind === "ready") return resolve(message.url);
      waiting.get(message.seq)?.(message.log);
      waiting.delete(message.seq);
    });
    child.process.once("exit", () => reject(new Error("the receiver ended")));
  });
  const ask = (asked: Asked): Promise<ReceiverLog> =>
    new Promise((resolve) => {
      seq += 1;
      waiting.set(seq, resolve);
      child.process.send({ ...asked, seq } satisfies ToReceiver);
    });
  let reading: Promise<void> = Promise.resolve();
  const read = async (before: Promise<void>): Promise<void> => {
    // One after the other, so that nothing is read twice.
    await before;
    const { arrivals } = await ask({ ask: "log", after: known.length });
    known.push(...arrivals);
  };
  return {
    url,
    async behave(changes) {
      behaviour = { ...behaviour, ...changes };
      await ask({ ask: "behave", behaviour });
    },
    async arrivals() {
      reading = read(reading);
      await reading;
      return [...known];
    },
    close: () => child.kill(),
  };
}
