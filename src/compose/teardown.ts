import { withinMs } from "../redis/within-ms.ts";

/** Things to close, registered the moment they exist, closed in reverse, each within a deadline. */
export interface Teardown {
  add(name: string, close: () => Promise<void> | void): void;
  /** Closes all. Answers the names of those that failed or took longer than `eachMs`. Safe to call twice. */
  run(eachMs: number): Promise<readonly string[]>;
}

export function createTeardown(): Teardown {
  const closers: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  return {
    add(name, close) {
      closers.push({ name, close });
    },
    async run(eachMs) {
      const unclean: string[] = [];
      for (let next = closers.pop(); next !== undefined; next = closers.pop()) {
        if (!(await closesWithin(next.close, eachMs))) unclean.push(next.name);
      }
      return unclean;
    },
  };
}

async function closesWithin(close: () => Promise<void> | void, ms: number): Promise<boolean> {
  try {
    await withinMs(Promise.resolve(close()), ms, () => new Error("not closed in time"));
    return true;
  } catch {
    return false;
  }
}
