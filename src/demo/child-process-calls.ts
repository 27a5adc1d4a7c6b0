/**
 * Calls from this process to an object in its child, over the channel between them:
 *
 *   child   { ready }                      once, when the object is there
 *   parent  { seq, method, args }
 *   child   { seq, answer } or { seq, why }
 */
import type { ChildProcess } from "node:child_process";

type Methods<Target> = {
  [Name in keyof Target as Target[Name] extends (...args: never[]) => unknown ? Name : never]: Target[Name];
};

/** Calls one method. Rejects when it throws, and when the child is gone. */
export type RemoteCall<Target> = <Name extends keyof Methods<Target>>(
  method: Name,
  ...args: Methods<Target>[Name] extends (...args: infer Args) => unknown ? Args : never
) => Promise<Methods<Target>[Name] extends (...args: never[]) => infer Answer ? Awaited<Answer> : never>;

type FromChild<Ready> =
  | { readonly ready: Ready }
  | { readonly seq: number; readonly answer?: unknown; readonly why?: string };

interface ToChild {
  readonly seq: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** In the child: performs what it is asked to. `ready` goes to the parent first. */
export function serveCalls(target: object, ready: object): void {
  const perform = async ({ seq, method, args }: ToChild): Promise<void> => {
    try {
      const call = Reflect.get(target, method) as (...args: readonly unknown[]) => unknown;
      send({ seq, answer: await call(...args) });
    } catch (error) {
      send({ seq, why: String(error) });
    }
  };
  process.on("message", (message) => void perform(message as ToChild));
  send({ ready });
}

function send(message: FromChild<object>): void {
  process.send?.(message);
}

/** In the parent: resolves when the child is ready, rejects when it ends before. `name` stands in errors. */
export function connectTo<Target, Ready>(
  child: ChildProcess,
  name: string,
): Promise<Ready & { readonly call: RemoteCall<Target> }> {
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  let lastSeq = 0;
  const call = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lastSeq += 1;
      waiting.set(lastSeq, { resolve, reject });
      child.send({ seq: lastSeq, method, args } satisfies ToChild, (error) => {
        if (error !== null) reject(error);
      });
    });
  return new Promise((resolve, reject) => {
    child.on("message", (raw) => {
      const message = raw as FromChild<Ready>;
      if ("ready" in message) return resolve({ ...message.ready, call: call as RemoteCall<Target> });
      const { seq, answer, why } = message;
      const asked = waiting.get(seq);
      waiting.delete(seq);
      if (why === undefined) asked?.resolve(answer);
      else asked?.reject(new Error(`${name}: ${why}`));
    });
    child.once("disconnect", () => {
      const gone = new Error(`${name} is gone`);
      reject(gone);
      for (const asked of waiting.values()) asked.reject(gone);
    });
  });
}
