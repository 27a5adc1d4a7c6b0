import { formatProblem } from "../../config/problem.ts";
import type { ReadSecret } from "../../config/read-secret.ts";
import type { SecretRef } from "../contracts/drains-document.ts";
import { RedriverError } from "../contracts/errors.ts";

export type LiveSecret = ReturnType<typeof createLiveSecret>;

/**
 * A secret that may change while the process runs. Only the current value is kept, in memory. Throws `settings-invalid`
 * if the first reading fails; the message begins with `lack`. `onRefused` is called with what is wrong with a later
 * one, once until that changes.
 */
export function createLiveSecret(
  ref: SecretRef,
  read: ReadSecret,
  lack: string,
  onRefused: (problem: string) => void,
) {
  const first = read(ref);
  if (!first.ok) throw new RedriverError("settings-invalid", `${lack}: ${formatProblem(first.problem)}`);
  let current = first.value;
  let refused: string | null = null;
  return {
    value: (): string => current,
    /** Reads it again; true when it changed. A secret that cannot be read keeps its last value. */
    reread(): boolean {
      const next = read(ref);
      const problem = next.ok ? null : formatProblem(next.problem);
      if (problem !== null && problem !== refused) onRefused(problem);
      refused = problem;
      if (!next.ok || next.value === current) return false;
      current = next.value;
      return true;
    },
  };
}
