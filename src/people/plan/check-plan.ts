import type { DlqId } from "../../job/message/dead-letter.ts";
import { type ListingSignals, survey, type SurveyRange, type DrainRuntime } from "../../job/door.ts";
import type { Planned } from "./plan-file-record.ts";
import { createOpenOrders } from "./open-orders.ts";

export type PlanCheck = Awaited<ReturnType<typeof checkPlan>>;

/** Lists a range again and compares each record with its plan. Changes nothing. Throws as `survey` does. */
export async function checkPlan(
  drain: DrainRuntime,
  range: SurveyRange,
  planned: ReadonlyMap<DlqId, Planned>,
  signals: ListingSignals,
  onPage: (checked: number) => void,
) {
  const open = new Map(planned);
  const orders = createOpenOrders(drain.source, open);
  const unseen = new Set(planned.keys());
  let notNow = 0;
  for await (const page of survey(drain, range, signals)) {
    for (const letter of page.letters) {
      if (unseen.delete(letter.dlqId) && orders.compare(letter) === "not-now") notNow += 1;
    }
    onPage(planned.size - unseen.size);
    // The records behind the last planned one need not be listed.
    if (unseen.size === 0) break;
  }
  await orders.takeOutUnlisted(unseen);
  // `open`: what is to be acted on, as planned or not just now.
  return { planned: planned.size, open, notNow, done: orders.done(), skips: orders.skips() };
}
