import { receiverScript, startChild, type ChildOptions } from "./children.ts";
import type { FromReceiver, ReceiverQuestion, ToReceiver } from "./receiver-messages.ts";
import type { ReceiverPort, WitnessReport, WitnessTotals } from "./receiver.ts";

/** The receiver in a process of its own. Every question rejects when that process is gone. */
export interface ReceiverProcess {
  readonly pid: number;
  readonly steadyUrl: string;
  readonly flakyUrl: string;
  open(): Promise<void>;
  fail(port: ReceiverPort): Promise<void>;
  recover(port: ReceiverPort): Promise<void>;
  totals(): Promise<WitnessTotals>;
  report(): Promise<WitnessReport>;
  stop(): Promise<void>;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export async function startReceiverProcess(
  options: Pick<ChildOptions, "env" | "onLost"> & { readonly headerPrefix: string },
): Promise<ReceiverProcess> {
  const child = startChild({
    ...options,
    name: "the receiver",
    script: receiverScript,
    args: [options.headerPrefix],
  });
  const waiting = new Map<number, Waiting>();
  let lastSeq = 0;
  const ready = new Promise<Extract<FromReceiver, { kind: "ready" }>>((resolve, reject) => {
    child.process.on("message", (raw) => {
      const message = raw as FromReceiver;
      if (message.kind === "ready") {
        resolve(message);
        return;
      }
      const asked = waiting.get(message.seq);
      waiting.delete(message.seq);
      if (message.kind === "answer") asked?.resolve(message.answer);
      else asked?.reject(new Error(`the receiver: ${message.why}`));
    });
    child.process.once("disconnect", () => {
      const error = new Error("the receiver is gone");
      reject(error);
      for (const asked of waiting.values()) asked.reject(error);
    });
  });
  const ask = (question: ReceiverQuestion): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastSeq += 1;
      const seq = lastSeq;
      waiting.set(seq, { resolve, reject });
      child.process.send({ ...question, seq } satisfies ToReceiver, (error) => {
        if (error !== null) reject(error);
      });
    });

  try {
    const { steadyUrl, flakyUrl } = await ready;
    return {
      pid: child.pid,
      steadyUrl,
      flakyUrl,
      open: async () => void (await ask({ ask: "open" })),
      fail: async (port) => void (await ask({ ask: "fail", port })),
      recover: async (port) => void (await ask({ ask: "recover", port })),
      totals: async () => (await ask({ ask: "totals" })) as WitnessTotals,
      report: async () => (await ask({ ask: "report" })) as WitnessReport,
      stop: () => child.stop(),
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
