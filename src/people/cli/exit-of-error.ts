import { errorTable, isRedriverError } from "../../job/contracts/errors.ts";

export function toExit(error: unknown): { readonly exitCode: number; readonly message: string } {
  if (isRedriverError(error)) {
    return { exitCode: errorTable[error.code].exitCode, message: `${error.code}: ${error.message}` };
  }
  return { exitCode: 1, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Of two exit codes of one command: a failure outranks work that was left, and that outranks success. */
export function worseExit(one: number, other: number): number {
  const rank = [0, 3, 1];
  return rank.indexOf(one) < rank.indexOf(other) || !rank.includes(other) ? other : one;
}
