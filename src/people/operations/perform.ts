import { checkInput, checkReason, type OperationCall, type Input, type Operation } from "./define.ts";

export type Performed = Awaited<ReturnType<typeof perform>>;

/** Throws `command-misused` before anything is done for values that cannot be meant. */
export async function perform(operation: Operation, call: OperationCall<Input>) {
  const drains = call.core.document.drains.map(({ name }) => name);
  checkInput(operation, call.input, drains);
  checkReason(operation, call.reason);
  const foreseen = await operation.foresee?.(call);
  /** A line for each thing that was done, and for each that could not be done now. */
  const [done, refused]: [string[], string[]] = [[], []];
  const results: object[] = [];
  for await (const { said, row, isRefused = false } of operation.run(call, foreseen?.found)) {
    (isRefused ? refused : done).push(said);
    if (row !== null) results.push(row);
  }
  return { done, refused, warnings: foreseen?.warnings ?? [], results };
}
