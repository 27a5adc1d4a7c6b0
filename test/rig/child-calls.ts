/** Calls from this process to an object in its child, over the channel between them. */
import type { ChildProcess } from "node:child_process";

type Call = readonly [seq: number, method: string, ...args: readonly unknown[]];
/** That of 0 is the sign that the object is there. */
type Answer = readonly [seq: number, answer: unknown];

const send = (answer: Answer): void => void process.send?.(answer);

/** In the child: performs what it is asked to. A call that fails ends the child. */
export function serveCalls(target: object, ready: object): void {
  const answer = async ([seq, method, ...args]: Call): Promise<void> => {
    const call = Reflect.get(target, method) as (...args: readonly unknown[]) => unknown;
    send([seq, await call(...args)]);
  };
  process.on("message", (call: Call) => void answer(call));
  send([0, ready]);
}

/** In the parent: resolves when the child is ready. Rejects when it is gone, as each call does then. */
export async function connectTo(child: ChildProcess, name: string) {
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let lastSeq = 0;
  child.on("message", ([seq, answer]: Answer) => {
    waiting.get(seq)?.resolve(answer);
    waiting.delete(seq);
  });
  child.once("disconnect", () => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} is gone`));
  });
  const ready = await new Promise((resolve, reject) => waiting.set(0, { resolve, reject }));
  const call = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastSeq += 1;
      waiting.set(lastSeq, { resolve, reject });
      const sent: Call = [lastSeq, method, ...args];
      child.send(sent, (error) => {
        if (error !== null) reject(error);
      });
    });
  return { ready, call };
}
