import { checkInput, checkReason, type OperationCall, type Input, type Operation } from "./define.ts";

/** What became of an operation, for a face that answers once. */
export interface Performed {
  /** A line for each thing that was done, and for each that could not be done now. */
  readonly done: readonly string[];
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
  readonly results: readonly object[];
}

/** Throws `command-misused` before anything is done for values that cannot be meant. */
export async function perform(operation: Operation, call: OperationCall<Input>): Promise<Performed> {
  checkInput(
    operation,
    call.input,
    call.core.document.drains.map(({ name }) => name),
  );
  checkReason(operation, call.reason);
  const foreseen = await operation.foresee?.(call);
  const done: string[] = [];
  const refused: string[] = [];
  const results: object[] = [];
  for await (const { said, row, isRefused = false } of operation.run(call, foreseen?.found)) {
    (isRefused ? refused : done).push(said);
    if (row !== null) results.push(row);
  }
  return { done, refused, warnings: foreseen?.warnings ?? [], results };
}
