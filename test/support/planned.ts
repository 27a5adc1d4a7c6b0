import type { DlqId } from "../../src/job/message/dead-letter.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import { applyPlan, type Applied, type ApplyWait } from "../../src/people/plan/apply.ts";
import { planDrain } from "../../src/people/plan/plan-drain.ts";
import type { PlanRecord } from "../../src/people/plan/plan-file-record.ts";
import { checkPlan } from "../../src/people/plan/check-plan.ts";
import { createSelection } from "../../src/people/plan/plan-selection.ts";
import { withNewer } from "../../src/job/page/newest.ts";
import { freezeRange } from "../../src/job/pass/freeze-range.ts";
import type { DrainRuntime } from "../../src/job/runtime.ts";

const never = new AbortController().signal;
const signals = { signal: never, stopping: never };

/**
 * Plans and checks all of the drain `main`, here and without a file; the answer applies it, on another
 * runtime if one is given.
 */
export async function planHere(
  drain: DrainRuntime,
  onWait: (wait: ApplyWait) => void = () => undefined,
): Promise<(on?: DrainRuntime) => Promise<Applied>> {
  const range = await freezeRange(drain, never);
  const selection = createSelection();
  await planDrain({
    drain: await withNewer(drain, range, signals),
    beside: { taken: new Set(), later: [] },
    range,
    filter: {},
    show: "masked",
    signals,
    onRecord: (_record, line) => Promise.resolve(selection.add(line)),
    onPage: () => undefined,
  });
  const check = await checkPlan(drain, range, selection.of("main" as DrainName), signals, () => undefined);
  return (on = drain) =>
    applyPlan({
      drain: on,
      range,
      open: check.open,
      meanwhile: check.meanwhile,
      signals,
      order: {},
      pausedBy: () => Promise.resolve(null),
      onPage: () => undefined,
      onWait,
    });
}

/** Takeover after 17 s, horizon 43 s: the shortest that the settings allow. */
export const shortLimits = {
  settings: {
    "ledger.sendBy": "1s",
    "ledger.networkDelay": "1s",
    "ledger.maxPageAge": "60s",
    "ledger.settleGateAge": "60s",
    "service.batchTimeout": "1s",
  },
  source: "{ dedupWindow: 90s }",
};

/** A line of a plan file, about the drain `orders`. */
export function planned(n: number, fields: Partial<PlanRecord> = {}): PlanRecord {
  return {
    drain: "orders" as DrainName,
    dlqId: `${n}-0` as DlqId,
    hash: "h",
    then: "republish",
    reason: "due",
    rule: "outage",
    item: "i",
    attempt: 0,
    url: "https://a.example.com/x\u2028\u009b",
    status: 503,
    ...fields,
  };
}
