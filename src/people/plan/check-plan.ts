import { serviceNow } from "../../job/contracts/service.ts";
import type { DlqId } from "../../job/message/dead-letter.ts";
import {
  type ListingSignals,
  survey,
  type SurveyRange,
  type DrainRuntime,
  withNewer,
} from "../../job/door.ts";
import type { Planned } from "./plan-file-record.ts";
import { createOpenOrders } from "./open-orders.ts";

export type PlanCheck = Awaited<ReturnType<typeof checkPlan>>;

/** Lists a range again and compares each record with its plan. `since`: when the apply began, Unix ms by Redis. Throws as `survey` does. */
export async function checkPlan(
  drain: DrainRuntime,
  range: SurveyRange,
  planned: ReadonlyMap<DlqId, Planned>,
  signals: ListingSignals,
  onPage: (checked: number) => void,
  since?: number,
) {
  const open = new Map(planned);
  const begunAt = Math.min(serviceNow(drain.source), drain.source.clock.now());
  const orders = createOpenOrders(drain, open, since);
  const unseen = new Set(planned.keys());
  let notNow = 0;
  const knowing = await withNewer(drain, range, signals);
  for await (const page of survey(knowing, range, signals)) {
    for (const letter of page.letters) {
      if (unseen.delete(letter.dlqId) && orders.compare(letter) === "not-now") notNow += 1;
    }
    onPage(planned.size - unseen.size);
    // The records behind the last planned one need not be listed.
    if (unseen.size === 0) break;
  }
  await orders.takeOutUnlisted(unseen);
  const { all, since: meanwhile } = orders.done();
  return {
    orders: planned,
    planned: planned.size,
    /** What is to be acted on, as planned or not just now. */
    open,
    notNow,
    /** Before the apply began, and since then: by others. */
    done: all - meanwhile,
    meanwhile,
    skips: orders.skips(),
    /** Of the archive, which may be why some are gone. */
    ...(drain.fromArchive && { damaged: drain.fromArchive.damages() }),
    /** Nothing of the plan was sent earlier, by the service's clock: an apply before this one came after its listing. */
    sentFrom: all === 0 ? begunAt : Math.min(range.to, begunAt),
  };
}
