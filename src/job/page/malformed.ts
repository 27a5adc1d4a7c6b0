/** Records that cannot be read, but have an id: they are parked by it, so that a person finds them. */
import type { DlqId, UnusableRecord } from "../message/dead-letter.ts";
import { enteredAtOfId } from "../message/parse-record.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import { unreadableKind } from "../message/failure-kind.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { PageReport } from "./page-report.ts";
import type { Parking } from "./park.ts";

/**
 * Decides and counts a page's unusable records. Answers those to be parked, and when the ledger was asked. What has no
 * id is only counted, and so is one whose id the ledger has for a publication: the sweep ends that.
 */
export async function decideUnusable(
  { source, workerLostAt }: DrainRuntime,
  unusable: readonly UnusableRecord[],
  report: PageReport,
): Promise<{ readonly parkings: readonly Parking[]; readonly seenAt: number }> {
  const withId = unusable.filter(hasId);
  report.unusable(unusable.filter((one) => !hasId(one)));
  if (withId.length === 0) return { parkings: [], seenAt: 0 };
  const { views, at } = await source.ledger.look(
    withId.map(({ dlqId }) => dlqId),
    workerLostAt,
  );
  const parkings = withId.flatMap((one, index): readonly Parking[] => {
    const view = views[index] ?? { state: "absent" };
    const { dlqId, problem } = one;
    if (!mayPark(view)) {
      report.unusable([one]);
      return [];
    }
    const wasParked = view.state === "parked";
    const reason = wasParked ? view.reason : one.reason;
    const decision = { then: "park", reason, rule: null } as const;
    report.apart({ dlqId, enteredAt: enteredAtOfId(dlqId) }, decision, wasParked, problem);
    const attempt = view.state === "cool" ? view.attempt : 0;
    return wasParked ? [] : [{ dlqId, reason, rule: null, attempt, failure: unreadableKind.id }];
  });
  return { parkings, seenAt: at };
}

function hasId(one: UnusableRecord): one is UnusableRecord & { readonly dlqId: DlqId } {
  return one.dlqId !== undefined;
}

function mayPark({ state }: LedgerView): boolean {
  return state === "absent" || state === "cool" || state === "parked";
}
