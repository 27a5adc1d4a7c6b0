/** Sums of the decisions of a plan, of bounded size: for a queue just read, and for a plan's file. */
import type { PlanRecord } from "./plan-file-record.ts";
import { createExpiryCount, createRuleCount } from "./rule-report.ts";
import { sumOf } from "../read/totals.ts";

export type DecidedReport = ReturnType<ReturnType<typeof createDecidedCount>["report"]>;

export function createDecidedCount() {
  const decisions = { republish: 0, drop: 0, settle: 0, park: 0, hold: 0 };
  const rules = new Map<string | null, ReturnType<typeof createRuleCount>>();
  const expiry = createExpiryCount();
  let planned = 0;
  let parkedAlready = 0;
  return {
    /** `now`: Unix ms by the service's clock. */
    add(record: PlanRecord, now: number): void {
      const { then, rule, already = false, expiresAt } = record;
      planned += 1;
      decisions[then] += 1;
      if (already) parkedAlready += 1;
      if (expiresAt !== undefined) expiry.add(expiresAt, now);
      const count = rules.get(rule) ?? createRuleCount(rule);
      rules.set(rule, count);
      count.add(record, now);
    },
    planned: () => planned,
    /** `order`: of rules, by name. Other rules follow, those with most records first. */
    report(order: readonly string[]) {
      const rank = new Map<string | null, number>(order.map((rule, index) => [rule, index]));
      const rankOf = (rule: string | null): number =>
        rule === null ? order.length + 1 : (rank.get(rule) ?? order.length);
      const reports = [...rules.values()].map((count) => count.report());
      return {
        planned,
        expiry: expiry.report(),
        decisions,
        /** Of `park`: those that wait for a person already. */
        parkedAlready,
        /** Of `republish`: by the service's own retry, as many calls. The others share batches. */
        byService: sumOf(reports, (one) => one.byService),
        rules: reports.toSorted(
          (one, other) => rankOf(one.rule) - rankOf(other.rule) || other.count - one.count,
        ),
      };
    },
  };
}
