import { withinMs } from "./within-ms.ts";

export type Teardown = ReturnType<typeof createTeardown>;

type Close = () => Promise<void> | void;

/** Things to close, registered the moment they exist, closed in reverse, each within a deadline. */
export function createTeardown() {
  const closers: { readonly name: string; readonly close: Close }[] = [];
  return {
    add: (name: string, close: Close) => void closers.push({ name, close }),
    /** Closes all. Answers the names of those that failed or took longer than `eachMs`. Safe to call twice. */
    async run(eachMs: number): Promise<readonly string[]> {
      const unclean: string[] = [];
      for (let next = closers.pop(); next !== undefined; next = closers.pop()) {
        if (!(await closesWithin(next.close, eachMs))) unclean.push(next.name);
      }
      return unclean;
    },
  };
}

async function closesWithin(close: Close, ms: number): Promise<boolean> {
  try {
    await withinMs(Promise.resolve(close()), ms, () => new Error("not closed in time"));
    return true;
  } catch {
    return false;
  }
}
