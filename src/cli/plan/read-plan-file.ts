import { RedriverError } from "../../ports/errors.ts";
import { readPlan, type PlanHead } from "../../redrive/plan/plan-file.ts";
import type { PlanRecord } from "../../redrive/plan/plan-record.ts";
import { readNamedFile } from "../input/named-file.ts";

/**
 * Reads a whole plan; `-` is stdin. Throws `plan-invalid` for a file that is no plan or was changed, and
 * `command-misused` for one that cannot be read. Nothing may be done about a record before the answer is
 * there.
 */
export async function readPlanFile(file: string, onRecord: (record: PlanRecord) => void): Promise<PlanHead> {
  const chunks: AsyncIterable<Buffer> = readNamedFile(file);
  try {
    const reading = await readPlan(chunks, onRecord);
    if (reading.ok) return reading.head;
    throw new RedriverError("plan-invalid", `${file === "-" ? "the plan" : file}: ${reading.problem}`);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new RedriverError("command-misused", `${file} cannot be read: ${String(cause.code)}`, { cause });
  }
}
