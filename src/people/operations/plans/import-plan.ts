import { RedriverError } from "../../../job/contracts/errors.ts";
import { toShownUrl } from "../../../job/message/show-masked-values.ts";
import { createPlanWriter, readPlan, type PlanFile } from "../../plan/plan-file.ts";
import type { PlanRecord } from "../../plan/plan-file-record.ts";
import type { Keeper } from "./keep-plan.ts";

const never = new AbortController().signal;

/** Keeps the plan of a file, without the content that it may show. Throws `plan-invalid` if it is another file now. */
export async function importPlan({ head, sha256, read }: PlanFile, keeper: Keeper): Promise<void> {
  const { flags } = head;
  const writer = createPlanWriter();
  try {
    await keeper.write(writer.head({ ...head, flags: { ...flags, showContent: false } }));
    const reading = await readPlan(read(), async (record) => {
      const line = flags.showContent ? toMasked(record) : record;
      keeper.count(line);
      await keeper.write(writer.record(line));
    });
    if (!reading.ok || reading.sha256 !== sha256) {
      throw new RedriverError("plan-invalid", "the file was changed while it was read");
    }
    await keeper.write(writer.end());
    await keeper.complete(null, sha256);
  } catch (error) {
    await keeper.abandon(never, error);
    throw error;
  }
}

function toMasked({
  record: _record,
  becomes: _becomes,
  changes: _changes,
  ...line
}: PlanRecord): PlanRecord {
  return { ...line, url: toShownUrl(line.url, "masked") };
}
