import { RedriverError } from "../../../job/contracts/errors.ts";
import { readPlan, type PlanFile } from "../../plan/plan-file.ts";
import type { PlanRecord } from "../../plan/plan-file-record.ts";
import { readNamedFile } from "../input/named-file.ts";

/**
 * Reads a whole plan; `-` is stdin. Throws `plan-invalid` for a file that is no plan or was changed, and
 * `command-misused` for one that cannot be read. Nothing may be done about a record before the answer is
 * there.
 */
export async function readPlanFile(
  file: string,
  onRecord: (record: PlanRecord) => void = () => undefined,
): Promise<PlanFile> {
  // What comes by a pipe comes once.
  const piped: Buffer[] = [];
  const read = async function* (): AsyncGenerator<Buffer> {
    if (piped.length > 0) return yield* piped;
    for await (const chunk of readNamedFile(file)) {
      if (file === "-") piped.push(chunk);
      yield chunk;
    }
  };
  try {
    const reading = await readPlan(read(), onRecord);
    if (reading.ok) return { ...reading, read };
    throw new RedriverError("plan-invalid", `${file === "-" ? "the plan" : file}: ${reading.problem}`);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new RedriverError("command-misused", `${file} cannot be read: ${String(cause.code)}`, { cause });
  }
}
