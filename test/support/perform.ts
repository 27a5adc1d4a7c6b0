import type { Core } from "../../src/job/door.ts";
import { parseInput, type Operation } from "../../src/people/operations/define.ts";
import { perform, type Performed } from "../../src/people/operations/perform.ts";

const never = new AbortController().signal;

/** An operation as the console does it, by somebody. */
export function performAs(
  core: Core,
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
  { by = "ann", reason = "INC-7" }: { readonly by?: string; readonly reason?: string } = {},
): Promise<Performed> {
  return perform(operation, {
    core,
    input: parseInput(operation, values, (name) => name),
    by,
    reason,
    isWhole: true,
    now: Date.now(),
    plans: () => Promise.reject(new Error("no plans here")),
    requestSweep: () => Promise.resolve(),
    signal: never,
    stopping: never,
  });
}
